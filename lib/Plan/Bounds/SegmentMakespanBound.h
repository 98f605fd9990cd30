// SPDX-License-Identifier: Apache-2.0
//
// A makespan bound by memory: equal units must share the memory of all ranks,
// so a rank with little room recomputes or hands units to ranks that have more,
// which then take longer. The bound is the least T at which the ranks, each
// with its own memory and within T, have room for all units.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H

#include "../Chains/RecomputeMix.h"

#include <algorithm>
#include <span>

namespace shardsmith::search {

/// The saved bytes per micro-batch for which a rank without parameters has
/// room, and the number of ranks with that budget.
struct RankBudget {
  Bytes budget;
  int64_t count = 0;
};
using RankBudgets = std::vector<RankBudget>;

/// The memory that a rank needs beside saved bytes while one of its units runs:
/// `plain` if the rank recomputes no unit, `recomputing` if it recomputes some.
struct WorkingMemory {
  Bytes plain, recomputing;

  Bytes least() const { return std::min(plain, recomputing); }
};

/// A lower bound on the working memory of a rank that holds the unit, without
/// gathered parameters. While a recomputed unit runs, what was kept of it is
/// part of the unit as a whole; it is subtracted from the whole only if saved
/// bytes count in full for every micro-batch in flight (`savedInFull`).
WorkingMemory workingMemory(const UnitCosts &unit, RecomputeMask allowed,
                            bool savedInFull);

/// The ranks on one device kind that may hold units of a group. A rank without
/// parameters has `room` bytes free; the parameters and the like of all units
/// of the group together take `held`. If `running` is less than what units
/// need, the bound still holds and is less close.
struct DeviceKindCapacity {
  /// The costs of a unit on this kind.
  const UnitCosts *unit;
  std::span<const RankBudget> budgets;
  Bytes room, held;
  WorkingMemory running;
};

/// A lower bound, for every cut, on the time per micro-batch of the busiest of
/// all these ranks if they share `units` equal units. It is saturated if it is
/// above `atMost`, 0 if it is not above `atLeast`, and nothing if the ranks
/// have no room for the units.
std::optional<Nanoseconds>
segmentMakespanBound(std::span<const DeviceKindCapacity> kinds, int64_t units,
                     RecomputeMask allowed, Nanoseconds atLeast,
                     Nanoseconds atMost);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H
