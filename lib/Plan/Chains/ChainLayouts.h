// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all blocks together, priced: block tables under one setting,
// joined where blocks follow each other. Settings that look alike to the
// blocks (equal sizes, equal links) share their tables.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H

#include "../Support/MemoTable.h"
#include "LayoutList.h"
#include "UnitModels.h"

#include <atomic>
#include <functional>

namespace shardsmith::search {

/// May be used by several threads.
class ChainLayouts {
public:
  /// All must outlive this. Once `mustStop` is true, layouts may be missing
  /// from what it gives.
  ChainLayouts(const CostContext &context, const UnitModels &models,
               const SearchConstraints &constraints,
               const std::function<bool()> &mustStop)
      : workload(context.workload), models(models), constraints(constraints),
        mustStop(mustStop), chain(context.workload) {}

  /// All that are worth having for the strategy's degrees, micro-batch and
  /// context method.
  const LayoutList &of(const Strategy &outer, const Placement &placement,
                       Compare compare);
  /// The whole chain as the work of one rank: no layouts need more memory, and
  /// no ways of recomputing. Times are not set.
  StageWork mostMemory(const Strategy &outer, const Placement &placement);
  /// The fastest of these, the one that saves least, and the one with the
  /// fewest parameters on a rank are among few that are soon joined.
  LayoutList few(const Strategy &outer, const Placement &placement);

  /// Block tables made.
  int64_t tableCount() const { return tables; }

private:
  /// Per pool; what a block sees.
  using PoolKeys = std::vector<UnitKey>;

  std::vector<PoolKeys> keysOf(const Strategy &outer,
                               const Placement &placement) const;
  /// `layoutsOf(models)`, priced on all kinds of device.
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
  /// By what all blocks see.
  MemoTableBy<std::pair<std::vector<PoolKeys>, Compare>,
              std::unique_ptr<LayoutList>>
      joined;
  std::atomic<int64_t> tables = 0;
  /// A hundred megabytes or two; most models need less. Lists of few layouts
  /// are looked at once.
  LayoutCache room = 1 << 16, noRoom = 0;
  /// Layouts of the chain that are looked at in groups, and one by one. Bounds
  /// of groups exclude nearly all where few blocks differ.
  static constexpr double mostInGroups = 1e12, mostOfFew = 1 << 16;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_CHAINLAYOUTS_H
