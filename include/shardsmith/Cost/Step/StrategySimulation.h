// SPDX-License-Identifier: Apache-2.0
//
// A strategy whose pipeline is simulated action by action, for `shardsmith
// simulate` and for tests of the closed form of `estimateStep`.

#ifndef SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H
#define SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Schedule/ScheduleSearch.h"

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

/// The same with another schedule in place of the family's: one of the
/// strategy's stages and micro-batches, with or without messages, reductions
/// and updates. Its stages may be on other ranks than the strategy's where all
/// devices are alike. Fails where replicas lie on several device kinds.
std::optional<StrategySimulation>
simulateStrategy(const CostContext &context, const Strategy &strategy,
                 const schedule::Schedule &schedule, std::string &error);

/// The strategy's pipeline as one that a schedule is searched for: every rank
/// may hold as many activations as it has room for beside everything else that
/// `estimateStep` finds on it. Fails where replicas lie on several device
/// kinds.
std::optional<schedule::PipelineProblem>
pipelineProblem(const CostContext &context, const Strategy &strategy,
                std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_STRATEGYSIMULATION_H
