// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a chain: one entry of the table of each block, such that
// neighbours agree at their border. There may be 10^12 of them, so they come as
// a tree of groups, which is built where it is asked for. A group has the ideal
// of its layouts, by which it may be excluded as a whole:
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

/// One layout of the chain with its prices and sums.
struct ChainLayout {
  UnitPrices prices;
  LayoutSums sums;
  /// Per block, the place in its table.
  std::vector<size_t> entries;
};

/// Whether `a` is faster than `b` on the first device kind. Of equally fast
/// layouts the same one always comes first.
bool isFaster(const ChainLayout &a, const ChainLayout &b);

/// The layouts of one block under one setting.
struct PricedTable {
  std::vector<BlockEntry> entries;
  /// The costs of a unit per entry and pool.
  std::vector<std::vector<UnitCosts>> costs;
  /// Whether each entry was in an earlier list; a layout all of whose entries
  /// were is left out. Empty if no entry was.
  std::vector<bool> isKnown;
  /// Whether the table has all entries that are worth having.
  bool isWhole = true;
};

/// One table per block.
using PricedTables = std::vector<std::shared_ptr<const PricedTable>>;

struct LayoutTables;

/// How many more groups and layouts may be kept in memory for the next variant
/// that asks for them. Others are made again.
using LayoutCache = std::atomic<int64_t>;

/// The layouts that have the entries of some blocks in common. Several threads
/// may ask at once.
class LayoutGroup {
public:
  /// The parts of a group. Every layout of the group is in exactly one of them.
  struct Parts {
    /// Smaller groups, by rising time of their ideals on the first device kind;
    /// none if the group has few layouts. A group is empty if no layouts of its
    /// open blocks agree with what its layouts have in common.
    std::vector<std::unique_ptr<LayoutGroup>> groups;
    /// The layouts that are in no smaller group, the fastest first.
    std::vector<ChainLayout> layouts;
  };

  /// `chosen` are the entries of the first blocks, in the order of the tables.
  /// The tables must outlive this object.
  LayoutGroup(const LayoutTables &tables, std::vector<size_t> chosen);

  /// The ideal of the layouts of the group; for a block that is not chosen yet,
  /// of all of its entries.
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

/// All layouts of a chain under one setting. Several threads may ask at once.
class LayoutList {
public:
  /// An empty list.
  LayoutList();
  /// All layouts that the tables make together. What is passed by reference
  /// must outlive this object.
  LayoutList(const workload::Workload &workload, const Chain &chain,
             PricedTables tables, unsigned pools, RecomputeMask recompute,
             LayoutCache &room);
  /// The same if there are at most `mostCombinations` of them; else a few,
  /// found by beam search (ChainBeam.h).
  LayoutList(const workload::Workload &workload, const Chain &chain,
             PricedTables tables, unsigned pools, RecomputeMask recompute,
             LayoutCache &room, double mostCombinations);
  ~LayoutList();
  LayoutList(LayoutList &&) noexcept;
  LayoutList &operator=(LayoutList &&) noexcept;

  /// The group of all layouts; null if some block cannot run.
  const LayoutGroup *all() const { return root.get(); }
  const PricedTable &tableOf(size_t block) const;
  std::vector<BlockLayout> blocksOf(const ChainLayout &layout) const;
  /// Whether the list has all layouts that are worth having.
  bool isWhole() const { return whole; }

private:
  std::unique_ptr<const LayoutTables> tables;
  std::unique_ptr<LayoutGroup> root;
  bool whole = true;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_LAYOUTLIST_H
