// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all blocks together, priced: block tables under one setting,
// joined where blocks follow each other. Settings that look alike to the
// blocks (equal sizes, equal links) share their tables.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_CHAINLAYOUTS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_CHAINLAYOUTS_H

#include "LayoutBound.h"

#include "shardsmith/Cost/StepEstimate.h"
#include "shardsmith/Plan/BlockTable.h"
#include "shardsmith/Plan/SearchConstraints.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace shardsmith::search {

/// One layout per block, such that neighbours agree at their border.
struct ChainLayout {
  std::vector<BlockLayout> layouts;
  UnitPrices prices;
  /// Per pool.
  std::vector<ChainSums> sums;
  /// Per block, the place in its table.
  std::vector<size_t> entries;
};

/// By rising time; empty if the model cannot run.
struct LayoutList {
  std::vector<ChainLayout> layouts;
  /// Per pool what all of them need.
  std::vector<std::unique_ptr<ChainFloor>> floors;
};

/// May be used by several threads.
class ChainLayouts {
public:
  /// Both must outlive this.
  ChainLayouts(const CostContext &context,
               const SearchConstraints &constraints);

  /// All that are worth having for the strategy's degrees, device order and
  /// context method.
  const LayoutList &of(const Strategy &outer);

  /// The least time of one unit of the block with the fastest recomputation
  /// allowed, for the strategy's degrees, device order and context method;
  /// saturated if the block cannot run. Much faster than `of`.
  Nanoseconds fastestUnit(workload::BlockIndex block, const Strategy &outer);

  /// The least time of kernels alone of one unit of each block, for these
  /// degrees in any device order; saturated if the block cannot run.
  std::vector<Nanoseconds> kernelFloors(int64_t tensor, int64_t context,
                                        int64_t expert, int64_t microBatch);
  /// Block tables made.
  int64_t tableCount() const { return tables; }

private:
  struct Priced;
  std::vector<BlockEntry> entriesOf(workload::BlockIndex block,
                                    const std::vector<UnitSetting> &settings,
                                    std::vector<std::vector<UnitCosts>> &costs);
  LayoutList join(const std::vector<UnitSetting> &settings);
  /// With the fastest recomputation allowed.
  Nanoseconds fastestUnit(const UnitCostModel &model, bool repeats) const;
  Nanoseconds kernelFloor(workload::BlockIndex block,
                          const UnitSetting &setting) const;
  UnitSetting relevant(workload::BlockIndex block, UnitSetting setting) const;

  const CostContext &context;
  const SearchConstraints &constraints;
  Chain chain;
  CollectiveTimes collectives;
  /// Per pool.
  std::vector<KernelTimes> kernels;
  std::vector<BlockFacts> facts;

  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Priced>> priced;
  std::map<std::string, LayoutList> joined;
  /// By block and setting.
  std::map<std::string, Nanoseconds> fastest;
  /// By block and degrees.
  std::map<std::array<int64_t, 5>, Nanoseconds> floors;
  int64_t tables = 0;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_CHAINLAYOUTS_H
