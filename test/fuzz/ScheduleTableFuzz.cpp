// SPDX-License-Identifier: Apache-2.0
//
// Schedules as tables: reader, checks, replay, lists of ranks, simulation,
// writer.

#include "FuzzInput.h"
#include "shardsmith/Schedule/RankActions.h"
#include "shardsmith/Schedule/Simulation.h"
#include "shardsmith/Schedule/TableCheck.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  auto table = schedule::readTable(fuzz::asText(data, size), error);
  fuzz::require(table.has_value() || !error.empty(), "a refusal says why");
  if (!table)
    return 0;
  const schedule::Schedule *schedule = &table->schedule;
  schedule::ExpectedPipeline expected;
  expected.ranks = static_cast<int64_t>(schedule->ranks.size());
  expected.stages = expected.units = schedule->stageCount;
  expected.microBatches = schedule->microBatchCount;
  bool replays = schedule::replay(*schedule).empty();
  fuzz::require(schedule::checkTable(*table, expected).empty() == replays,
                "a table of the right size is right if it replays");
  auto actions = schedule::rankActions(*schedule, error);
  fuzz::require(actions.has_value() == replays, "what replays can be executed");
  if (!replays)
    return 0;
  fuzz::require(schedule::leastBuffers(*actions, schedule::ReceiveKind::Posted)
                    .has_value(),
                "with enough buffers nobody waits for ever");
  std::vector<schedule::StageDurations> stages(
      static_cast<size_t>(schedule->stageCount));
  for (schedule::StageDurations &stage : stages)
    stage.forward = stage.backwardInput = stage.backwardWeight =
        stage.sendForward = stage.sendBackward = Nanoseconds(1000);
  fuzz::require(schedule::simulate(*schedule, stages, error).has_value(),
                "what replays can be simulated");
  auto again = schedule::scheduleFromTable(schedule::toTable(*schedule), error);
  fuzz::require(again.has_value() && *again == *schedule,
                "reading what was written gives the same schedule");
  return 0;
}
