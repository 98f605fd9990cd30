// SPDX-License-Identifier: Apache-2.0
//
// What a unit of each block takes at least, whatever the block's layout.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H

#include "../Chains/PoolSums.h"
#include "SettingBounds.h"

namespace shardsmith::search {

/// May be used by several threads.
class UnitBounds {
public:
  /// All must outlive this.
  UnitBounds(const UnitModels &models, const Chain &chain,
             const SearchConstraints &constraints, unsigned threads);

  /// Classes of different shares do not wait for each other.
  size_t shareOf(const ParallelConfiguration &degrees) const {
    return shareOf(degrees.microBatch, degrees.tensor, degrees.context);
  }

  /// Whether a unit of each block has room on a device where it is alone: the
  /// rank that holds it has at least that. Says yes where it is not sure.
  bool hasRoom(const ParallelConfiguration &degrees);

  /// As in `SettingBounds`, of a unit of the block on one kind of device, or
  /// else on that where it is least. `outer`: degrees, micro-batch and context
  /// method.
  Nanoseconds fastest(workload::BlockIndex block, std::optional<unsigned> pool,
                      const Strategy &outer, const Placement &placement) {
    return leastOf(block, pool, outer, placement, &SettingBounds::fastest);
  }
  Nanoseconds fastestButExperts(workload::BlockIndex block,
                                std::optional<unsigned> pool,
                                const Strategy &outer,
                                const Placement &placement) {
    return leastOf(block, pool, outer, placement,
                   &SettingBounds::fastestButExperts);
  }
  Nanoseconds ops(workload::BlockIndex block, std::optional<unsigned> pool,
                  const Strategy &outer, const Placement &placement) {
    return leastOf(block, pool, outer, placement, &SettingBounds::ops);
  }

  /// The least of everything for each block, whatever the layouts.
  PoolIdeals chains(const Strategy &outer, const Placement &placement);

private:
  Nanoseconds leastOf(workload::BlockIndex block, std::optional<unsigned> pool,
                      const Strategy &outer, const Placement &placement,
                      Nanoseconds (SettingBounds::*time)(const UnitKey &));
  size_t shareOf(int64_t microBatch, int64_t tensor, int64_t context) const;
  SettingBounds &shareOf(const UnitKey &key) {
    return *shares[shareOf(key.microBatch, key.tensor, key.context)];
  }

  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  /// Each has some of the keys, so that threads need not wait for each other.
  std::vector<std::unique_ptr<SettingBounds>> shares;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H
