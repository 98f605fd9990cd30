// SPDX-License-Identifier: Apache-2.0
//
// The schedule that a program runs: it is that of the strategy's stages and
// micro-batches, it ends, and the annotated graph has the same.

#include "Parts.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"

namespace shardsmith::check {
namespace {

constexpr const char *kScheduledItem = "/prediction/train_step/scheduled_ns";

class ScheduleCheck {
public:
  ScheduleCheck(const ProgramClaims &claims, const ProgramInputs &inputs,
                Findings &findings, CheckReport &report)
      : claims(claims), inputs(inputs), findings(findings), report(report) {}

  void run() {
    const std::string item = "/layouts/train_step/schedule";
    auto attribute = inputs.annotated->getAttrOfType<mlir::StringAttr>(
        smith::kScheduleAttributeName);
    ++report.compared;
    if (claims.schedule != (attribute ? attribute.getValue() : ""))
      findings.broken(item, "annotated.mlir has another schedule");
    ++report.compared;
    mlir::ModuleOp annotated = inputs.annotated;
    auto main = annotated.lookupSymbol<mlir::func::FuncOp>("main");
    auto shares = main ? main->getAttrOfType<mlir::DenseI64ArrayAttr>(
                             smith::kSharesAttributeName)
                       : mlir::DenseI64ArrayAttr();
    if (llvm::ArrayRef(claims.shares) !=
        (shares ? shares.asArrayRef() : llvm::ArrayRef<int64_t>()))
      findings.broken("/layouts/train_step/shares",
                      "annotated.mlir has others");
    if (!claims.strategy)
      return;
    const ProgramClaims::OfStrategy &strategy = *claims.strategy;
    ++report.compared;
    if (claims.microBatches != strategy.microBatches)
      findings.differs("/layouts/train_step/micro_batches", claims.microBatches,
                       strategy.microBatches);
    ++report.compared;
    if (claims.shares != strategy.shares)
      findings.broken("/layouts/train_step/shares",
                      "data ranks have other numbers of micro-batches than "
                      "batch and strategy give them");
    ++report.compared;
    if (claims.schedule.empty() != (strategy.pipeline == 1))
      findings.broken(item, "expected one where the strategy has a pipeline, "
                            "and none where it has not");
    ++report.compared;
    if (claims.schedule.empty()) {
      if (claims.predicted.scheduled)
        findings.broken(kScheduledItem, "expected only beside a schedule");
      return;
    }
    checkTable(item, strategy);
    if (claims.predicted.scheduled)
      checkTime(strategy);
  }

private:
  void checkTable(const std::string &item,
                  const ProgramClaims::OfStrategy &strategy) {
    std::string error;
    std::optional<schedule::Schedule> table =
        schedule::scheduleFromTable(claims.schedule, error);
    ++report.compared;
    if (!table) {
      findings.broken(item, "{}", error);
      return;
    }
    for (const std::string &problem : schedule::replay(*table, 3))
      findings.broken(item, "{}", problem);
    same(item + " (stages)", table->stageCount, strategy.stages);
    same(item + " (micro-batches)", table->microBatchCount,
         claims.microBatches);
    same(item + " (ranks)", int64_t(table->ranks.size()), strategy.pipeline);
  }

  /// A program of the family's schedule takes as long as the strategy; that of
  /// another one is the planner's to play.
  void checkTime(const ProgramClaims::OfStrategy &strategy) {
    std::string error;
    std::optional<ScheduleFamily> family = scheduleNamed(strategy.family);
    std::optional<schedule::Schedule> usual;
    if (family)
      usual = schedule::makeSchedule(
          *family,
          {strategy.pipeline, strategy.virtualStages, strategy.microBatches},
          error);
    if (usual && claims.schedule == schedule::toTable(*usual))
      same(kScheduledItem, *claims.predicted.scheduled, claims.step);
    else
      report.notLookedAt.push_back(kScheduledItem);
  }

  void same(const std::string &item, int64_t claimed, int64_t actual) {
    ++report.compared;
    if (claimed != actual)
      findings.differs(item, claimed, actual);
  }

  const ProgramClaims &claims;
  const ProgramInputs &inputs;
  Findings &findings;
  CheckReport &report;
};

} // namespace

void checkSchedule(const ProgramClaims &claims, const ProgramInputs &inputs,
                   Findings &findings, CheckReport &report) {
  ScheduleCheck(claims, inputs, findings, report).run();
}

} // namespace shardsmith::check
