// SPDX-License-Identifier: Apache-2.0
//
// Cost models of blocks under settings. A setting is named by the few numbers
// that the block sees of degrees and placement, so that settings that look
// alike to the block are priced once.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_UNITMODELS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_UNITMODELS_H

#include "../Space/Placements.h"
#include "RecomputeMix.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

namespace shardsmith::search {

/// A block on one kind of device, under a setting.
struct UnitKey : UnitDegrees {
  workload::BlockIndex block = 0;
  unsigned pool = 0;
  int64_t microBatch = 1;
  UnitLinks links;

  auto operator<=>(const UnitKey &) const = default;
  /// The key with an expert axis of one rank: equal for all settings that
  /// differ in the expert axis alone.
  UnitKey withoutExperts() const {
    UnitKey key = *this;
    key.expert = 1;
    key.links.expert = 0;
    return key;
  }

  struct Hash {
    size_t operator()(const UnitKey &key) const;
  };
};

/// Several threads may ask at once.
class UnitModels {
public:
  /// All arguments must outlive this object.
  UnitModels(const CostContext &context, const SearchConstraints &constraints,
             Placements &placements);

  const StackProfile &profile() const { return context.profile; }
  /// The most memory that a plan may use of any device.
  Bytes mostMemory() const { return memory; }
  unsigned pools() const { return unsigned(kernels.size()); }
  size_t blocks() const { return facts.size(); }
  /// Whether the block follows itself somewhere.
  bool repeats(workload::BlockIndex block) const {
    return facts[block].repeats;
  }

  /// Whether the block has ops of that part which see positions in that way
  /// (`PricedBlock::isIn`).
  bool hasOps(workload::BlockIndex block, BlockPart part,
              bool countPositions) const;
  bool hasExperts(workload::BlockIndex block) const {
    return facts[block].hasExperts;
  }
  /// Whether units of the block may recompute.
  bool mayRecompute(workload::BlockIndex block) const {
    return !constraints.onlyLayersRecompute || facts[block].hasAttention;
  }
  /// The ways of recomputing of units of the block.
  RecomputeMask waysOf(workload::BlockIndex block) const;
  /// The costs as plans have them: of a block whose units may not recompute
  /// every way is to keep everything.
  UnitCosts inPlans(workload::BlockIndex block, UnitCosts costs) const;
  const LaunchFloor &launchesOf(const UnitKey &key) const {
    return priced[key.pool][key.block]->launches;
  }

  /// The key of a block under the degrees, micro-batch and context method of
  /// `outer`; the links stand for its device order.
  UnitKey keyOf(workload::BlockIndex block, unsigned pool,
                const Strategy &outer, const UnitLinks &links) const;
  /// A cost model of the key. `exchanges` are the prices of exchanges that
  /// models of this thread share.
  UnitCostModel modelOf(const UnitKey &key,
                        std::shared_ptr<ExchangeCache> exchanges =
                            std::make_shared<ExchangeCache>()) const;
  /// The same key for all settings that are alike to ops which see only the
  /// number of positions.
  UnitKey countingPositions(UnitKey key) const;

private:
  const CostContext &context;
  const SearchConstraints &constraints;
  Placements &placements;
  CollectiveTimes collectives;
  /// One per pool.
  std::vector<KernelTimes> kernels;
  /// One per pool and block.
  std::vector<std::vector<std::shared_ptr<const PricedBlock>>> priced;
  std::vector<BlockFacts> facts;
  Bytes memory;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_UNITMODELS_H
