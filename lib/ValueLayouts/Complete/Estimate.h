// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H

#include "StepProblem.h"
#include "shardsmith/ValueLayouts/Plan.h"

namespace shardsmith::plan {

/// Time, traffic and memory of an assignment as the search sees them, before
/// the program is partitioned.
StepPrediction estimate(const StepGraph &graph, const StepProblem &problem,
                        const MeshTimes &costs,
                        llvm::ArrayRef<StrategyIndex> choice);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_ESTIMATE_H
