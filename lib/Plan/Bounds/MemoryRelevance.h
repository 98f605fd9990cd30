// SPDX-License-Identifier: Apache-2.0
//
// Whether memory decides anything in a configuration. A small model fits with
// every layout; then the fastest layouts are the best ones, and block tables
// need not compare memory.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H

#include "../Space/Space.h"

#include "shardsmith/Cost/Step/StepModel.h"

namespace shardsmith::search {

/// Whether a rank that holds all units of the chain has room under every
/// schedule and ZeRO stage of the configuration and on every device kind.
/// `most` is the work of all these units; no layout of them needs more memory
/// than it says.
bool isMemoryIrrelevant(const CostContext &context,
                        const SearchConstraints &constraints,
                        const ParallelConfiguration &degrees,
                        const Strategy &outer, const StageWork &most);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H
