// SPDX-License-Identifier: Apache-2.0
//
// The schedule that a program runs: it is that of the strategy's stages and
// micro-batches, it ends, and the annotated graph has the same.

#include "Parts.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"

namespace shardsmith::check {
namespace {

class ScheduleCheck {
public:
  ScheduleCheck(const ProgramClaims &claims, const ProgramInputs &inputs,
                Findings &findings, CheckReport &report)
      : claims(claims), inputs(inputs), findings(findings), report(report) {}

  void run() {
    const std::string item = claims.pointer + "/schedule";
    auto attribute = inputs.annotated->getAttrOfType<mlir::StringAttr>(
        smith::kScheduleAttributeName);
    ++report.compared;
    if (claims.schedule != (attribute ? attribute.getValue() : ""))
      findings.broken(item, "annotated.mlir has another schedule");
    if (!claims.around)
      return;
    const ProgramClaims::Around &around = *claims.around;
    ++report.compared;
    if (claims.microBatches != around.microBatches)
      findings.differs(claims.pointer + "/micro_batches", claims.microBatches,
                       around.microBatches);
    ++report.compared;
    if (claims.schedule.empty() != (around.pipeline == 1))
      findings.broken(item, "expected one where the strategy has a pipeline, "
                            "and none where it has not");
    if (claims.schedule.empty())
      return;
    checkTable(item, around);
    if (claims.predicted.scheduled)
      checkTime(around);
  }

private:
  void checkTable(const std::string &item,
                  const ProgramClaims::Around &around) {
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
    same(item + " (stages)", table->stageCount, around.stages);
    same(item + " (micro-batches)", table->microBatchCount,
         claims.microBatches);
    same(item + " (ranks)", int64_t(table->ranks.size()), around.pipeline);
  }

  /// A program of the family's schedule takes as long as the strategy; that of
  /// another one is the planner's to play.
  void checkTime(const ProgramClaims::Around &around) {
    const std::string item = claims.pointer + "/predicted/scheduled_ns";
    std::string error;
    std::optional<ScheduleFamily> family = scheduleNamed(around.family);
    std::optional<schedule::Schedule> usual;
    if (family)
      usual = schedule::makeSchedule(
          *family, {around.pipeline, around.virtualStages, around.microBatches},
          error);
    if (usual && claims.schedule == schedule::toTable(*usual))
      same(item, *claims.predicted.scheduled, around.step);
    else
      report.notLookedAt.push_back(item);
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
