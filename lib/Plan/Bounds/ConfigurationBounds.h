// SPDX-License-Identifier: Apache-2.0
//
// Bounds of a configuration before its device orders are looked at.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H

#include "../Support/MemoTable.h"
#include "../Support/ThreadPool.h"
#include "DeviceKindWeights.h"
#include "UnitBounds.h"

namespace shardsmith::search {

/// May be used by several threads.
class ConfigurationBounds {
public:
  /// All must outlive this.
  ConfigurationBounds(const CostContext &context,
                      const SearchConstraints &constraints, const Chain &chain,
                      Placements &placements, UnitBounds &unitBounds);

  /// Prices the ops of all classes, which `ofOps` asks for, on all threads.
  void priceOps(const std::vector<ParallelConfiguration> &configurations,
                ThreadPool &threads);
  /// By ops alone, with what they exchange on links as good as any; saturated
  /// if some unit cannot run, or has no room even on a device of its own, or
  /// all parameters have none on all ranks.
  Nanoseconds ofOps(const ParallelConfiguration &degrees);
  /// By the least of everything that layouts of the chain have: their times,
  /// and the recomputation that the memory of all ranks together enforces under
  /// the schedule that holds least. On one kind of device.
  Nanoseconds ofIdeal(const Strategy &outer, const ChainSums &sums) const;
  /// If nothing but the units' times counted, given by block.
  Nanoseconds ofTimes(const ParallelConfiguration &degrees,
                      const std::vector<Nanoseconds> &unitTimes) const;

private:
  /// Classes with the same key have the same ops.
  static std::array<int64_t, 4> opsKey(const ParallelConfiguration &degrees) {
    return {degrees.microBatch, degrees.tensor, degrees.context,
            degrees.expert};
  }
  struct OpTimes {
    /// By block, on the kind of device that is fastest for it.
    std::vector<Nanoseconds> times;
    /// By block, on each kind.
    DeviceKindWeights onKinds;
  };
  /// Nothing if some unit has no room.
  const std::optional<OpTimes> &ops(const ParallelConfiguration &degrees);
  std::optional<OpTimes> findOps(const ParallelConfiguration &degrees);
  /// If all devices were at work all the time, the fastest ones if not all are
  /// needed. That holds whatever lies where, and however data ranks share the
  /// micro-batches.
  Nanoseconds ofCapacity(const ParallelConfiguration &degrees,
                         const OpTimes &ops) const;
  /// That all ranks together may save per micro-batch, if they hold no
  /// parameters.
  Bytes savedBudget(const Strategy &outer, const ChainSums &sums) const;

  const CostContext &context;
  const SearchConstraints &constraints;
  const Chain &chain;
  Placements &placements;
  UnitBounds &unitBounds;
  /// Ranks without which parameters have no room.
  int64_t fewestRanks;
  /// By `opsKey`.
  MemoTableByNumbers<4, std::optional<OpTimes>> knownOps;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H
