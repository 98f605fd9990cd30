// SPDX-License-Identifier: Apache-2.0
//
// Schedules as tables: reader, replay, simulation, writer.

#include "FuzzInput.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Schedule/Simulation.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  auto schedule = schedule::scheduleFromTable(fuzz::asText(data, size), error);
  fuzz::require(schedule.has_value() || !error.empty(), "a refusal says why");
  if (!schedule || !schedule::replay(*schedule).empty())
    return 0;
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
