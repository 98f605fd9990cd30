// SPDX-License-Identifier: Apache-2.0
//
// What one unit takes at least under a setting, whatever its layout. What
// settings have in common is found out once.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H

#include "../Chains/ChainSums.h"
#include "../Chains/UnitModels.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace shardsmith::search {

/// May be used by several threads, which wait for each other.
class SettingBounds {
public:
  /// Both must outlive this.
  SettingBounds(const UnitModels &models, const SearchConstraints &constraints);

  /// The least time with the fastest recomputation allowed; saturated if the
  /// block cannot run.
  Nanoseconds fastest(const UnitKey &key);
  /// No more than that, and found sooner: of what sees experts its ops alone
  /// count; and of everything, with what ops exchange.
  Nanoseconds fastestButExperts(const UnitKey &key);
  Nanoseconds ops(const UnitKey &key);

  UnitMinima unit(const UnitKey &key);

  /// What the unit holds and needs while it runs.
  Bytes leastMemory(const UnitKey &key);

private:
  const UnitIdeal &leastOf(const UnitKey &key);
  BlockBounds::Common &commonOf(const UnitKey &key);
  Nanoseconds fastestOf(const UnitKey &key);
  /// The least `time(choice)` of recomputation that is allowed.
  template <typename Time> Nanoseconds fastestChoice(Time time) const;
  /// What any layout's passes take on the device with that way of recomputing,
  /// if what sees experts took no time.
  Nanoseconds fastestCommon(const UnitKey &key, Recompute choice);
  /// What ops of that part take at least, without the launch floor.
  Nanoseconds leastOps(const UnitKey &key, BlockPart part);

  /// With what it has priced already if the key is the last one of its block:
  /// what is fast enough is asked for more.
  const UnitCostModel &modelOf(const UnitKey &key);
  BlockBounds &boundsOf(const UnitKey &key) { return blockBounds[key.block]; }

  const UnitModels &models;
  const SearchConstraints &constraints;
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
  /// Ops of a part that count positions, or of those that do not.
  struct OpGroup {
    BlockPart part;
    bool countPositions;
    /// Per block: whether there are any.
    std::vector<bool> exists;
    /// By what they see of the key.
    ByKey<Nanoseconds> times;
  };
  std::vector<OpGroup> opGroups;
  /// By what the expert axis does not change.
  ByKey<BlockBounds::Common> commonBy;
  ByKey<Nanoseconds> fastestBy;
  ByKey<UnitIdeal> leastBy;
  ByKey<Bytes> memoryBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_SETTINGBOUNDS_H
