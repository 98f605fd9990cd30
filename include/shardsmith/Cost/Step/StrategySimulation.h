// SPDX-License-Identifier: Apache-2.0
//
// A strategy whose pipeline is simulated action by action, for `shardsmith
// simulate` and for tests of the closed form of `estimateStep`.

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

/// Prices the stages of the strategy and simulates its schedule. Where replicas
/// lie on several device kinds, the slowest pipeline is simulated.
/// `Strategy::verify` must accept the strategy. The result differs from
/// `estimateStep` where that uses the closed form: here stages may differ, and
/// messages overlap as far as the order of work allows. Fails with a sentence
/// in `error`.
std::optional<StrategySimulation> simulateStrategy(const CostContext &context,
                                                   const Strategy &strategy,
                                                   std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H
