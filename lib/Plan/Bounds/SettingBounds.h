// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on one unit under a setting, over all layouts of its block. What
// several settings have in common is computed once and kept.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H

#include "../Chains/ChainSums.h"
#include "../Chains/UnitModels.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace shardsmith::search {

/// Several threads may ask at once; they wait for each other.
class SettingBounds {
public:
  /// The argument must outlive this object.
  explicit SettingBounds(const UnitModels &models);

  /// The least time of a micro-batch through the unit, with the fastest
  /// recomputation that is allowed; saturated if the block cannot run under the
  /// setting.
  Nanoseconds fastest(const UnitKey &key);
  /// Two bounds that are no larger than `fastest` and cheaper to find.
  /// `fastestButExperts` counts only the ops of that part of the block that the
  /// expert axis changes. `ops` counts only ops, in the whole block, with what
  /// they exchange.
  Nanoseconds fastestButExperts(const UnitKey &key);
  Nanoseconds ops(const UnitKey &key);

  UnitMinima unit(const UnitKey &key);

  /// A lower bound on the memory that the unit holds and needs while it runs.
  Bytes leastMemory(const UnitKey &key);

private:
  const UnitIdeal &leastOf(const UnitKey &key);
  BlockBounds::Common &commonOf(const UnitKey &key);
  Nanoseconds fastestOf(const UnitKey &key);
  /// The least `time(choice)` over the ways of recomputing that are allowed.
  template <typename Time>
  Nanoseconds fastestChoice(workload::BlockIndex block, Time time) const;
  /// A lower bound on the passes of any layout with that way of recomputing, if
  /// the part of the block that the expert axis changes took no time.
  Nanoseconds fastestCommon(const UnitKey &key, Recompute choice);
  /// The least time of the ops of that part of the block, without the launch
  /// floor.
  Nanoseconds leastOps(const UnitKey &key, BlockPart part);

  /// The cost model of the key. It is the same object as before, with all that
  /// it has priced, if the block was last asked for with this key: a setting
  /// that is fast enough by one bound is asked for the next one.
  const UnitCostModel &modelOf(const UnitKey &key);
  BlockBounds &boundsOf(const UnitKey &key) { return blockBounds[key.block]; }

  const UnitModels &models;
  std::mutex mutex;
  /// Per block.
  std::vector<BlockBounds> blockBounds;
  struct Last {
    UnitKey key;
    std::unique_ptr<UnitCostModel> model;
  };
  std::vector<Last> lastModels;
  std::shared_ptr<ExchangeCache> exchanges = std::make_shared<ExchangeCache>();
  template <typename Value>
  using ByKey = std::unordered_map<UnitKey, Value, UnitKey::Hash>;
  /// The ops of one part of a block that see nothing but the number of
  /// positions (BlockStructure::countsPositions), or the others.
  struct OpGroup {
    BlockPart part;
    bool countPositions;
    /// Per block: whether there are any.
    std::vector<bool> exists;
    /// Their times, by that part of the key which they see.
    ByKey<Nanoseconds> times;
  };
  std::vector<OpGroup> opGroups;
  /// The key is without the expert axis.
  ByKey<BlockBounds::Common> commonBy;
  ByKey<Nanoseconds> fastestBy;
  ByKey<UnitIdeal> leastBy;
  ByKey<Bytes> memoryBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H
