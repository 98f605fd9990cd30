// SPDX-License-Identifier: Apache-2.0
//
// How long the steps of a schedule take when nothing disturbs them.

#ifndef SHARDSMITH_LIB_SCHEDULE_STEPDURATIONS_H
#define SHARDSMITH_LIB_SCHEDULE_STEPDURATIONS_H

#include "shardsmith/Schedule/Simulation.h"

namespace shardsmith::schedule {

class StepDurations {
public:
  /// The stages must outlive this.
  StepDurations(const std::vector<StageDurations> &stages,
                const SimulationOptions &options)
      : stages(stages), slowdown(options.overlapSlowdown),
        passTimes(options.passTimes) {}

  /// Of passes and updates on the compute stream. Two passes that run together
  /// hide communication behind kernels, which slow down meanwhile.
  Nanoseconds onComputeStream(const Step &step) const;
  /// Of sends, gathers and reductions.
  Nanoseconds onOtherStream(const Action &action) const;

private:
  Nanoseconds timeOf(const Step &step) const;
  Nanoseconds kernels(const Action &action) const;
  Nanoseconds communication(const Action &action) const;
  const StageDurations &of(const Action &action) const {
    return stages[static_cast<size_t>(action.stage)];
  }

  const std::vector<StageDurations> &stages;
  double slowdown;
  const PassTimes *passTimes;
};

/// Empty, or which duration is absurd for a step of `microBatches`.
std::string checkDurations(const std::vector<StageDurations> &stages,
                           int64_t microBatches);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_STEPDURATIONS_H
