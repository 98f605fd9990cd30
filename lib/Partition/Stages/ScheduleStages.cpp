// SPDX-License-Identifier: Apache-2.0
//
// Reads the schedule of a module, holds it against the step, and has the
// programs of ranks written (RankPrograms.h).

#include "shardsmith/Partition/Passes.h"

#include "NarrowMessages.h"
#include "RankPrograms.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SCHEDULESTAGES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

struct ScheduleStagesPass : impl::ScheduleStagesBase<ScheduleStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto table =
        module->getAttrOfType<StringAttr>(smith::kScheduleAttributeName);
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!table || !main || !main.getBody().hasOneBlock())
      return;
    std::string error;
    std::optional<schedule::Schedule> schedule =
        schedule::scheduleFromTable(table.getValue().str(), error);
    if (!schedule)
      return fail(error);
    for (const std::string &problem : schedule::replay(*schedule, 1))
      return fail(problem);
    if (schedule->hasCommunication())
      return fail("expected passes alone; messages follow from the program");
    sdy::MeshAttr mesh = smith::getMesh(module);
    int64_t ranks =
        mesh ? mesh.getAxisSize(smith::kPipelineAxisName).value_or(1) : 1;
    if (int64_t lists = int64_t(schedule->ranks.size()); lists != ranks)
      return fail(("it has lists for " + Twine(lists) +
                   " ranks, but the mesh has " + Twine(ranks) +
                   " along its axis \"pipeline\"")
                      .str());
    int64_t count = smith::getMicroBatchCount(main);
    if (!smith::isInMicroBatches(main))
      return fail("@main is not in micro-batches; run split-micro-batches "
                  "before");
    if (schedule->microBatchCount != count)
      return fail(("it has " + Twine(schedule->microBatchCount) +
                   " micro-batches, but @main has " + Twine(count))
                      .str());
    if (failed(smith::groupLoops(main.front())) ||
        failed(narrowMessages(main, *schedule)) ||
        failed(RankPrograms(main, *schedule).write()))
      signalPassFailure();
  }

  void fail(const std::string &why) {
    getOperation().emitError() << "attribute \"smith.schedule\": " << why;
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
