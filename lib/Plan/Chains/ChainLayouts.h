// SPDX-License-Identifier: Apache-2.0
//
// The layouts of the whole chain, priced: the block tables under one setting,
// joined where blocks follow each other. Settings that look alike to a block
// (equal sizes, equal paths) share one table.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H

#include "../Support/MemoTable.h"
#include "LayoutList.h"
#include "UnitModels.h"

#include <atomic>
#include <functional>

namespace shardsmith::search {

/// Several threads may ask at once.
class ChainLayouts {
public:
  /// All arguments must outlive this object. Once `mustStop` returns true,
  /// layouts may be missing from the lists.
  ChainLayouts(const CostContext &context, const UnitModels &models,
               const SearchConstraints &constraints,
               const std::function<bool()> &mustStop)
      : workload(context.workload), models(models), constraints(constraints),
        mustStop(mustStop), chain(context.workload, constraints) {}

  /// All layouts that are worth having for the degrees, micro-batch and context
  /// method of `outer`. The reference stays valid.
  const LayoutList &of(const Strategy &outer, const Placement &placement,
                       Compare compare);
  /// The whole chain as the work of one rank, with the most memory that any
  /// layouts and any recomputation need. Times are not set.
  StageWork mostMemory(const Strategy &outer, const Placement &placement);
  /// A short list for the primal heuristic, made without block tables. It
  /// contains the fastest layout, the one that saves least and the one with the
  /// fewest parameters on a rank.
  LayoutList few(const Strategy &outer, const Placement &placement);

  /// The number of block tables that were made.
  int64_t tableCount() const { return tables; }

private:
  /// What a block sees of a setting, per pool.
  using PoolKeys = std::vector<UnitKey>;

  std::vector<PoolKeys> keysOf(const Strategy &outer,
                               const Placement &placement) const;
  /// The layouts that `layoutsOf(models)` returns, priced on all device kinds.
  template <typename LayoutsOf>
  std::shared_ptr<const PricedTable> price(const PoolKeys &keys,
                                           LayoutsOf layoutsOf) const;
  LayoutList join(PricedTables tables, LayoutCache &room,
                  double mostCombinations) const {
    return LayoutList(workload, chain, std::move(tables), models.pools(),
                      constraints.recompute, room, mostCombinations);
  }

  const workload::Workload &workload;
  const UnitModels &models;
  const SearchConstraints &constraints;
  const std::function<bool()> &mustStop;
  Chain chain;

  MemoTableBy<std::pair<PoolKeys, Compare>, std::shared_ptr<const PricedTable>>
      priced;
  MemoTableBy<PoolKeys, std::shared_ptr<const PricedTable>> pricedFew;
  MemoTableBy<UnitKey, UnitCosts> most;
  /// The key is what all blocks see.
  MemoTableBy<std::pair<std::vector<PoolKeys>, Compare>,
              std::unique_ptr<LayoutList>>
      joined;
  std::atomic<int64_t> tables = 0;
  /// How many groups and layouts the lists together may keep: one or two
  /// hundred megabytes, and most models need less. Short lists keep none, since
  /// they are looked at once.
  LayoutCache room = 1 << 16, noRoom = 0;
  /// The most layouts of the chain that a list may have: with groups, whose
  /// bounds exclude nearly all of them where few blocks differ, and for short
  /// lists.
  static constexpr double mostInGroups = 1e12, mostOfFew = 1 << 16;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H
