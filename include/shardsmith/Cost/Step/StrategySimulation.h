// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H
#define SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Schedule/Simulation.h"

namespace shardsmith {

/// A strategy's pipeline, played action by action.
struct StrategySimulation {
  /// Messages, reductions and updates written out.
  schedule::Schedule schedule;
  std::vector<schedule::StageDurations> stages;
  schedule::Simulation simulation;
  /// The simulation's period with what `StepEstimate` adds for stragglers and
  /// per step; comparable to `StepEstimate::step`.
  Nanoseconds step;
};

/// Prices the strategy's stages and plays its schedule. Where data ranks differ
/// in kind, the pipeline that takes longest is played. The strategy must
/// satisfy `Strategy::verify`. Differs from `estimateStep` where that sums up
/// in closed form: stages need not be alike, messages overlap as far as the
/// order of work lets them.
std::optional<StrategySimulation> simulateStrategy(const CostContext &context,
                                                   const Strategy &strategy,
                                                   std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H
