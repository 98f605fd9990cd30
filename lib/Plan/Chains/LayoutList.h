// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all blocks together, priced: one per block, such that neighbours
// agree at their border. There may be very many, so they come in groups that
// are split, block by block, when they are asked for:
//
//     all                             least of all entries of every block
//      └─ entry 0 of the layers       least of the others' entries
//          └─ entry 3 of the head     …
//              └─ few: their layouts

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_LAYOUTLIST_H
#define SHARDSMITH_LIB_PLAN_CHAINS_LAYOUTLIST_H

#include "PoolSums.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <atomic>
#include <functional>
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
  /// All entries that are worth having.
  bool isWhole = true;
};

/// Per block.
using PricedTables = std::vector<std::shared_ptr<const PricedTable>>;

struct LayoutTables;

/// How many more groups and layouts may be kept for whoever asks again; others
/// are made anew.
using LayoutCache = std::atomic<int64_t>;

/// The layouts that have some blocks' entries in common. May be used by several
/// threads.
class LayoutGroup {
public:
  /// What a group is made of.
  struct Parts {
    /// Smaller groups, by rising least time on the first kind of device; none
    /// if there are few layouts. Maybe nothing agrees with what a group has in
    /// common, and it is empty.
    std::vector<std::unique_ptr<LayoutGroup>> groups;
    /// Those that are in no smaller group, the fastest first.
    std::vector<ChainLayout> layouts;
  };

  /// `chosen`: of the first blocks in the order of the tables, which must
  /// outlive this.
  LayoutGroup(const LayoutTables &tables, std::vector<size_t> chosen);

  /// Of blocks that are open, all entries count.
  const PoolIdeals &ideals() const { return leastOfAll; }
  std::shared_ptr<const Parts> parts() const;

private:
  bool isSplit() const;
  std::shared_ptr<const Parts> makeParts() const;
  void split(Parts &parts) const;
  void splitByEntry(const std::function<void(std::vector<size_t>)> &add) const;
  void join(Parts &parts) const;

  const LayoutTables &tables;
  std::vector<size_t> chosen;
  PoolIdeals leastOfAll;
  mutable std::mutex mutex;
  mutable std::shared_ptr<const Parts> kept;
};

/// May be used by several threads.
class LayoutList {
public:
  /// None.
  LayoutList();
  /// All that the tables make together. References must outlive this.
  LayoutList(const workload::Workload &workload, const Chain &chain,
             PricedTables tables, unsigned pools, RecomputeMask recompute,
             LayoutCache &room);
  /// Of the layouts that the tables make a few (ChainBeam.h) if there are more
  /// than that.
  LayoutList(const workload::Workload &workload, const Chain &chain,
             PricedTables tables, unsigned pools, RecomputeMask recompute,
             LayoutCache &room, double mostCombinations);
  ~LayoutList();
  LayoutList(LayoutList &&) noexcept;
  LayoutList &operator=(LayoutList &&) noexcept;

  /// Null if a block cannot run.
  const LayoutGroup *all() const { return root.get(); }
  const PricedTable &tableOf(size_t block) const;
  std::vector<BlockLayout> blocksOf(const ChainLayout &layout) const;
  /// All layouts that are worth having are in it.
  bool isWhole() const { return whole; }

private:
  std::unique_ptr<const LayoutTables> tables;
  std::unique_ptr<LayoutGroup> root;
  bool whole = true;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_LAYOUTLIST_H
