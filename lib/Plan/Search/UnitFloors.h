// SPDX-License-Identifier: Apache-2.0
//
// What a unit of each block takes at least, whatever the block's layout.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H

#include "ChainSums.h"
#include "UnitModels.h"

#include "shardsmith/Plan/BlockFloors.h"

#include <memory>
#include <unordered_map>

namespace shardsmith::search {

/// May be used by several threads.
class UnitFloors {
public:
  /// All must outlive this.
  UnitFloors(const UnitModels &models, const Chain &chain,
             const SearchConstraints &constraints);

  /// Whether a unit of each block has room on a device where it is alone: the
  /// rank that holds it has at least that. Says yes where it is not sure.
  bool hasRoom(const DegreeClass &degrees);

  /// The least time of one unit of the block with the fastest recomputation
  /// allowed, on the kind of device where that is least; saturated if the block
  /// cannot run. `outer`: degrees, micro-batch and context method.
  Nanoseconds fastest(workload::BlockIndex block, const Strategy &outer,
                      const Placement &placement) {
    return leastOf(block, outer, placement, &UnitFloors::fastestOf);
  }
  /// No more than that, and found sooner: of what sees experts its ops alone
  /// count; and of everything, with what ops exchange.
  Nanoseconds fastestButExperts(workload::BlockIndex block,
                                const Strategy &outer,
                                const Placement &placement) {
    return leastOf(block, outer, placement, &UnitFloors::fastestButExpertsOf);
  }
  Nanoseconds ops(workload::BlockIndex block, const Strategy &outer,
                  const Placement &placement) {
    return leastOf(block, outer, placement, &UnitFloors::opsOf);
  }

  /// The least of everything for each block, whatever the layouts: per pool.
  std::vector<std::unique_ptr<ChainFloor>> chains(const Strategy &outer,
                                                  const Placement &placement);

private:
  const LeastUnit &least(const UnitKey &key);
  BlockFloors::Common &commonOf(const UnitKey &key);
  Nanoseconds fastestOf(const UnitKey &key);
  Nanoseconds fastestButExpertsOf(const UnitKey &key);
  Nanoseconds opsOf(const UnitKey &key);
  /// The least `time(choice)` of recomputation that is allowed.
  template <typename Time> Nanoseconds fastestChoice(Time time) const;
  /// What any layout's passes take on the device with that way of recomputing,
  /// if what sees experts took no time.
  Nanoseconds fastestCommon(const UnitKey &key, Recompute choice);
  /// What ops of that part take at least, without the launch floor.
  Nanoseconds leastOps(const UnitKey &key, BlockPart part);
  /// The least of them on any kind of device.
  Nanoseconds leastOf(workload::BlockIndex block, const Strategy &outer,
                      const Placement &placement,
                      Nanoseconds (UnitFloors::*time)(const UnitKey &));
  /// What a unit of the block holds and needs while it runs, at least, if no
  /// tensor axis splits it.
  Bytes leastMemory(UnitKey key);

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
  ByKey<BlockFloors::Common> commonBy;
  ByKey<Nanoseconds> fastestBy;
  ByKey<LeastUnit> leastBy;
  ByKey<Bytes> memoryBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_UNITFLOORS_H
