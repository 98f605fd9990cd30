// SPDX-License-Identifier: Apache-2.0
//
// What a unit of each block takes at least, whatever the block's layout.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_UNITFLOORS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_UNITFLOORS_H

#include "../Chains/PoolSums.h"
#include "KeyFloors.h"

namespace shardsmith::search {

/// May be used by several threads.
class UnitFloors {
public:
  /// All must outlive this.
  UnitFloors(const UnitModels &models, const Chain &chain,
             const SearchConstraints &constraints, unsigned threads);

  /// Classes of different shares do not wait for each other.
  size_t shareOf(const DegreeClass &degrees) const {
    return shareOf(degrees.microBatch, degrees.tensor, degrees.context);
  }

  /// Whether a unit of each block has room on a device where it is alone: the
  /// rank that holds it has at least that. Says yes where it is not sure.
  bool hasRoom(const DegreeClass &degrees);

  /// As in `KeyFloors`, of a unit of the block on one kind of device, or else
  /// on that where it is least. `outer`: degrees, micro-batch and context
  /// method.
  Nanoseconds fastest(workload::BlockIndex block, std::optional<unsigned> pool,
                      const Strategy &outer, const Placement &placement) {
    return leastOf(block, pool, outer, placement, &KeyFloors::fastest);
  }
  Nanoseconds fastestButExperts(workload::BlockIndex block,
                                std::optional<unsigned> pool,
                                const Strategy &outer,
                                const Placement &placement) {
    return leastOf(block, pool, outer, placement,
                   &KeyFloors::fastestButExperts);
  }
  Nanoseconds ops(workload::BlockIndex block, std::optional<unsigned> pool,
                  const Strategy &outer, const Placement &placement) {
    return leastOf(block, pool, outer, placement, &KeyFloors::ops);
  }

  /// The least of everything for each block, whatever the layouts.
  PoolFloors chains(const Strategy &outer, const Placement &placement);

private:
  Nanoseconds leastOf(workload::BlockIndex block, std::optional<unsigned> pool,
                      const Strategy &outer, const Placement &placement,
                      Nanoseconds (KeyFloors::*time)(const UnitKey &));
  size_t shareOf(int64_t microBatch, int64_t tensor, int64_t context) const;
  KeyFloors &shareOf(const UnitKey &key) {
    return *shares[shareOf(key.microBatch, key.tensor, key.context)];
  }

  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  /// Each has some of the keys, so that threads need not wait for each other.
  std::vector<std::unique_ptr<KeyFloors>> shares;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_UNITFLOORS_H
