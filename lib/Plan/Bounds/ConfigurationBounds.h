// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of every strategy of a configuration, found before
// its device orders are enumerated. Each bound is more expensive and closer
// than the one before: ops alone, the fastest layout of each unit, the ideal
// chain with the recomputation that memory enforces.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H

#include "../Support/MemoTable.h"
#include "../Support/ThreadPool.h"
#include "DeviceKindWeights.h"
#include "UnitBounds.h"

#include <functional>

namespace shardsmith::search {

/// Several threads may ask at once.
class ConfigurationBounds {
public:
  /// All arguments must outlive this object.
  ConfigurationBounds(const CostContext &context,
                      const SearchConstraints &constraints, const Chain &chain,
                      Placements &placements, UnitBounds &unitBounds);

  /// Prices the ops of all configurations on all threads, so that `ofOps` finds
  /// them priced. Ends early once `mustStop`, which several threads call,
  /// returns true.
  void priceOps(const std::vector<ParallelConfiguration> &configurations,
                ThreadPool &threads, const std::function<bool()> &mustStop);
  /// The bound by ops alone, each with its fastest split and with what it
  /// exchanges on relaxed paths. It is saturated if some unit cannot run or has
  /// no room on a device of its own, or if all parameters have no room on all
  /// ranks together.
  Nanoseconds ofOps(const ParallelConfiguration &degrees);
  /// The bound by the ideal of the chain: its time, and the recomputation that
  /// the memory of all ranks together enforces under the schedule with fewest
  /// micro-batches in flight. It holds on one device kind.
  Nanoseconds ofIdeal(const Strategy &outer, const ChainSums &sums) const;
  /// The bound for units of these times, given by block: some rank takes at
  /// least the mean, and at least its share of the units of each segment.
  Nanoseconds ofTimes(const ParallelConfiguration &degrees,
                      const std::vector<Nanoseconds> &unitTimes) const;

private:
  struct OpTimes {
    /// The time of a unit of each block, on the device kind that is fastest for
    /// it.
    std::vector<Nanoseconds> times;
    /// The same times on each device kind.
    DeviceKindWeights onKinds;
  };
  /// The times of ops; nothing if some unit has no room.
  const std::optional<OpTimes> &ops(const ParallelConfiguration &degrees);
  std::optional<OpTimes> findOps(const ParallelConfiguration &degrees);
  /// The bound by capacity: the step if all devices that are used, the fastest
  /// ones first, were at work all the time. It holds for every placement, and
  /// for every way to balance micro-batches.
  Nanoseconds ofCapacity(const ParallelConfiguration &degrees,
                         const OpTimes &ops) const;
  /// The saved bytes per micro-batch for which all ranks together have room if
  /// they hold no parameters.
  Bytes savedBudget(const Strategy &outer, const ChainSums &sums) const;

  const CostContext &context;
  const SearchConstraints &constraints;
  const Chain &chain;
  Placements &placements;
  UnitBounds &unitBounds;
  /// With fewer ranks than this the parameters, gradients and optimizer state
  /// have no room.
  int64_t fewestRanks;
  /// The key is `unitKey`.
  MemoTableByNumbers<5, std::optional<OpTimes>> knownOps;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_CONFIGURATIONBOUNDS_H
