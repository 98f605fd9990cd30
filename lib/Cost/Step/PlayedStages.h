// SPDX-License-Identifier: Apache-2.0
//
// Durations of stages for playing a schedule (Schedule/Simulation.h).

#ifndef SHARDSMITH_LIB_COST_STEP_PLAYEDSTAGES_H
#define SHARDSMITH_LIB_COST_STEP_PLAYEDSTAGES_H

#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Schedule/Simulation.h"

namespace shardsmith {

/// What each stage of a strategy takes for one micro-batch when its schedule is
/// played, with its messages to its neighbours. `pools`: of each pipeline rank.
///
/// ZeRO's exchanges that kernels do not hide come before the passes. A message
/// is as long as the stack leaves it visible (`pipeline_exposure`); what the
/// order of passes hides of that is found by playing.
std::vector<schedule::StageDurations>
playedStages(const CostContext &context, const Strategy &strategy,
             const StepModel &model, const PipelineLinks &links,
             std::span<const unsigned> pools,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_STEP_PLAYEDSTAGES_H
