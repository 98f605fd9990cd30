// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all blocks together, priced: one per block, such that neighbours
// agree at their border. There may be very many, so they come in groups, which
// are only joined when they are asked for:
//
//     block with most units      entry 0     entry 1     …
//     other blocks               least of all their entries
//                                   │
//                                   └─▶ all that agree with it

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H
#define SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H

#include "PoolSums.h"

#include "shardsmith/Plan/BlockTable.h"

#include <memory>
#include <mutex>

namespace shardsmith::search {

struct ChainLayout {
  UnitPrices prices;
  LayoutSums sums;
  /// Per block, the place in its table.
  std::vector<size_t> entries;
};

/// On the first kind of device; of equally fast ones one always comes first.
bool isFaster(const ChainLayout &a, const ChainLayout &b);

/// The layouts of one block under one setting.
struct PricedTable {
  std::vector<BlockEntry> entries;
  /// Per entry and pool.
  std::vector<std::vector<UnitCosts>> costs;
  /// Per entry; if all of a layout are, the layout is left out. None: no entry
  /// is.
  std::vector<bool> isKnown;
};

/// Per block.
using PricedTables = std::vector<std::shared_ptr<const PricedTable>>;

/// May be used by several threads.
class LayoutList {
public:
  /// None.
  LayoutList() = default;
  /// All that the tables make together. The first two must outlive this.
  LayoutList(const workload::Workload &workload, const Chain &chain,
             PricedTables tables, unsigned pools, RecomputeMask recompute);
  LayoutList(LayoutList &&) = default;
  LayoutList &operator=(LayoutList &&) = default;

  /// By rising least time on the first kind of device; none if a block cannot
  /// run. Maybe nothing agrees with a group's entry, and it has no layouts.
  size_t groups() const { return parts.size(); }
  const PoolFloors &floorsOf(size_t group) const {
    return parts[group]->floors;
  }
  /// The fastest first.
  const std::vector<ChainLayout> &layoutsOf(size_t group) const;
  /// Of all groups.
  const PoolFloors &floors() const { return allFloors; }

  const PricedTable &tableOf(size_t block) const { return *tables[block]; }
  std::vector<BlockLayout> blocksOf(const ChainLayout &layout) const;

private:
  struct Group {
    /// Of the block with most units.
    size_t entry = 0;
    PoolFloors floors;
    std::once_flag isJoined;
    std::vector<ChainLayout> layouts;
  };

  void addGroups();
  void join(Group &group) const;

  const workload::Workload *workload = nullptr;
  const Chain *chain = nullptr;
  PricedTables tables;
  unsigned pools = 1;
  RecomputeMask recompute = {};
  /// That with most units.
  size_t heaviest = 0;
  std::vector<std::unique_ptr<Group>> parts;
  PoolFloors allFloors;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTLIST_H
