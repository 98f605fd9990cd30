// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all blocks together, priced: one per block, such that neighbours
// agree at their border.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H
#define SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H

#include "ChainSums.h"

#include "shardsmith/Plan/BlockTable.h"

#include <memory>

namespace shardsmith::search {

struct ChainLayout {
  UnitPrices prices;
  /// Per pool.
  std::vector<ChainSums> sums;
  /// Per block, the place in its table.
  std::vector<size_t> entries;
};

/// The layouts of one block under one setting.
struct PricedTable {
  std::vector<BlockEntry> entries;
  /// Per entry and pool.
  std::vector<std::vector<UnitCosts>> costs;
};

/// Per block.
using PricedTables = std::vector<std::shared_ptr<const PricedTable>>;

/// By rising time; empty if the model cannot run.
struct LayoutList {
  std::vector<ChainLayout> layouts;
  /// Per pool what all of them need.
  std::vector<std::unique_ptr<ChainFloor>> floors;
  PricedTables tables;

  std::vector<BlockLayout> blocksOf(const ChainLayout &layout) const;
};

/// All layouts that the tables make together.
LayoutList joinTables(const workload::Workload &workload, const Chain &chain,
                      PricedTables tables, unsigned pools,
                      RecomputeMask recompute);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H
