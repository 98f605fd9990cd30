// SPDX-License-Identifier: Apache-2.0
//
// A few good layouts of a block that has too many for all that are worth
// having.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FEWLAYOUTS_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FEWLAYOUTS_H

#include "shardsmith/Plan/Blocks/BlockTable.h"

namespace shardsmith::blocks {

/// The best one for every weighted objective (WeightedObjectives.h): for each
/// layout of the border, if that is within the limits; else by beam search, for
/// borders that are split alike. And always the one that splits nothing, if it
/// can run. Sorted as a table.
std::vector<BlockEntry> fewLayouts(std::span<const UnitCostModel *const> models,
                                   bool repeatable, const SumLimits &limits,
                                   const std::function<bool()> &mustStop);

/// A layout as an entry of a table.
BlockEntry entryOf(const UnitCostModel &model, BlockLayout layout);
/// Sorts by the layouts of inputs, then of outputs, then by time.
void sortEntries(std::vector<BlockEntry> &entries);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FEWLAYOUTS_H
