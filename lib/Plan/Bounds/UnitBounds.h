// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on a unit of each block, over all layouts of the block, for a
// strategy and a placement.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H

#include "../Chains/PoolSums.h"
#include "SettingBounds.h"

namespace shardsmith::search {

/// Several threads may ask at once.
class UnitBounds {
public:
  /// All arguments must outlive this object.
  UnitBounds(const UnitModels &models, const Chain &chain,
             const SearchConstraints &constraints, unsigned threads);

  /// Threads that ask for configurations of different shares do not wait for
  /// each other.
  size_t shareOf(const ParallelConfiguration &degrees) const {
    return shareOf(degrees.microBatch, degrees.unit());
  }

  /// False if a unit of some block has no room on a device that holds nothing
  /// else; then no plan of the configuration fits. It may be true although no
  /// plan fits.
  bool hasRoom(const ParallelConfiguration &degrees);

  /// The bounds of `SettingBounds` for a unit of the block on the device kind
  /// `pool`; without one, on the kind where the bound is least. Of `outer`
  /// degrees, micro-batch and context method are read.
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

  /// The ideals of the chain: for each block the least of every number over all
  /// of its layouts.
  PoolIdeals chains(const Strategy &outer, const Placement &placement);

private:
  Nanoseconds leastOf(workload::BlockIndex block, std::optional<unsigned> pool,
                      const Strategy &outer, const Placement &placement,
                      Nanoseconds (SettingBounds::*time)(const UnitKey &));
  size_t shareOf(int64_t microBatch, const UnitDegrees &unit) const;
  SettingBounds &shareOf(const UnitKey &key) {
    return *shares[shareOf(key.microBatch, key)];
  }

  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  /// Each share has some of the keys, so that threads with keys of different
  /// shares do not wait for each other.
  std::vector<std::unique_ptr<SettingBounds>> shares;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_UNITBOUNDS_H
