// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H

#include "StepProblem.h"
#include "shardsmith/ValueLayouts/Plan.h"

namespace shardsmith::plan {

/// An assignment as the search sees it, before the program is partitioned.
struct LayoutEstimate {
  Nanoseconds compute;
  Nanoseconds communication;
  /// Traffic and memory; its step is that of compute and communication.
  StepPrediction prediction;
};

LayoutEstimate estimate(const StepGraph &graph, const StepProblem &problem,
                        const MeshTimes &costs,
                        llvm::ArrayRef<StrategyIndex> choice);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H
