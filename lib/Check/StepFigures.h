// SPDX-License-Identifier: Apache-2.0
//
// What a step costs and what every rank holds, derived again.

#ifndef SHARDSMITH_LIB_CHECK_STEPFIGURES_H
#define SHARDSMITH_LIB_CHECK_STEPFIGURES_H

#include "Claims.h"
#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::check {

struct StepFigures {
  /// By the same pointers as the plan's.
  Figures figures;
  Nanoseconds step;
  /// What the step takes when its schedule is simulated action by action;
  /// nothing without one, or of too many actions.
  std::optional<Nanoseconds> simulatedStep;
  std::vector<std::vector<CollectiveUse>> collectives;
  /// Pipeline ranks whose peak is above their limit.
  std::vector<int64_t> overfull;
};

/// The strategy must be legal. Fails with a sentence if it cannot be run after
/// all (a layout that leaves attention without whole heads).
std::optional<StepFigures> recomputeStep(const CheckInputs &inputs,
                                         const ClusterTopology &topology,
                                         const Strategy &strategy,
                                         double memoryMargin,
                                         std::string &problem);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_STEPFIGURES_H
