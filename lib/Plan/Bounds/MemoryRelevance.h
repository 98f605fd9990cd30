// SPDX-License-Identifier: Apache-2.0
//
// Whether memory decides anything: small models fit whatever their layouts are,
// and then the fastest of these are the best ones.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H

#include "../Space/Space.h"

#include "shardsmith/Cost/Step/StepModel.h"

namespace shardsmith::search {

/// Whether a rank with all units of the chain has room, under every schedule
/// and ZeRO stage of the configuration, on every kind of device. `most`: those
/// units' work, no layout of which needs more memory.
bool isMemoryIrrelevant(const CostContext &context,
                        const SearchConstraints &constraints,
                        const ParallelConfiguration &degrees,
                        const Strategy &outer, const StageWork &most);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_MEMORYRELEVANCE_H
