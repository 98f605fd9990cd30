// SPDX-License-Identifier: Apache-2.0
//
// What a unit of each block takes at least, whatever the block's layout.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H

#include "ChainSums.h"
#include "UnitModels.h"

#include "shardsmith/Plan/BlockFloors.h"

#include <memory>

namespace shardsmith::search {

/// May be used by several threads.
class UnitFloors {
public:
  /// All must outlive this.
  UnitFloors(const UnitModels &models, const Chain &chain,
             const SearchConstraints &constraints);

  /// The least time of kernels alone of one unit of each block, for these
  /// degrees in any device order; saturated if the block cannot run.
  std::vector<Nanoseconds> kernels(const DegreeClass &degrees);

  /// Whether a unit of each block has room on a device where it is alone: the
  /// rank that holds it has at least that. Says yes where it is not sure.
  bool hasRoom(const DegreeClass &degrees);

  /// The least time of one unit of the block with the fastest recomputation
  /// allowed, on the kind of device where that is least; saturated if the block
  /// cannot run. `outer`: degrees, micro-batch and context method.
  Nanoseconds fastest(workload::BlockIndex block, const Strategy &outer,
                      const Placement &placement) {
    return leastOf(block, outer, placement, &UnitFloors::fastest);
  }
  /// The same if nothing but ops took time, with what they exchange.
  Nanoseconds ops(workload::BlockIndex block, const Strategy &outer,
                  const Placement &placement) {
    return leastOf(block, outer, placement, &UnitFloors::ops);
  }

  /// The least of everything for each block, whatever the layouts: per pool.
  std::vector<std::unique_ptr<ChainFloor>> chains(const Strategy &outer,
                                                  const Placement &placement);

private:
  /// The numbers of no layout are less. The least time is known without
  /// recomputation, and with the fastest one allowed.
  struct Least {
    LeastUnit unit;
    Nanoseconds plain, fastest;
  };
  const Least &least(const UnitKey &key);
  Nanoseconds fastest(const UnitKey &key);
  Nanoseconds ops(const UnitKey &key);
  /// The least of them on any kind of device.
  Nanoseconds leastOf(workload::BlockIndex block, const Strategy &outer,
                      const Placement &placement,
                      Nanoseconds (UnitFloors::*time)(const UnitKey &));
  /// What a unit of the block holds and needs while it runs, at least, if no
  /// tensor axis splits it.
  Bytes leastMemory(UnitKey key);
  Nanoseconds fastestOf(const UnitKey &key, const UnitCostModel &model);

  /// With what it has priced already if the key is the last one of its block:
  /// what is fast enough is asked for more.
  const UnitCostModel &modelOf(const UnitKey &key);
  BlockFloors &floorsOf(const UnitKey &key) { return blockFloors[key.block]; }

  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  std::mutex mutex;
  /// Per block.
  std::vector<BlockFloors> blockFloors;
  struct Last {
    UnitKey key;
    std::unique_ptr<UnitCostModel> model;
  };
  std::vector<Last> lastModels;
  std::map<UnitKey, Nanoseconds> opsBy, fastestBy;
  std::map<UnitKey, Least> leastBy;
  std::map<UnitKey, Nanoseconds> kernelsBy;
  std::map<UnitKey, Bytes> memoryBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H
