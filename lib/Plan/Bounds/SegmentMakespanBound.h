// SPDX-License-Identifier: Apache-2.0
//
// How long the busiest rank takes at least because equal units must share the
// memory of all ranks.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H

#include "../Chains/RecomputeMix.h"

#include <algorithm>
#include <span>

namespace shardsmith::search {

/// What pipeline ranks may save per micro-batch if they hold no parameters, and
/// how many ranks may save so much.
struct RankBudget {
  Bytes budget;
  int64_t count = 0;
};
using RankBudgets = std::vector<RankBudget>;

/// What a rank needs while one of its units runs, besides what is saved: if it
/// recomputes no unit, and if it recomputes some.
struct WorkingMemory {
  Bytes plain, recomputing;

  Bytes least() const { return std::min(plain, recomputing); }
};

/// The same of the unit alone, at least, without the gathered parameters. What
/// is kept of a unit that is recomputed counts among what it needs while it
/// runs, too; that is no more than the unit's whole only if what is saved
/// counts in full (`savedInFull`) for every micro-batch in flight.
WorkingMemory workingMemory(const UnitCosts &unit, RecomputeMask allowed,
                            bool savedInFull);

/// Ranks on one kind of device that may hold units of a group: `room` bytes are
/// free on a rank without parameters, of which those of all units of the group
/// together take `held`. `running` may be less than what units need; the bound
/// is then less close.
struct DeviceKindCapacity {
  /// As it is on this kind.
  const UnitCosts *unit;
  std::span<const RankBudget> budgets;
  Bytes room, held;
  WorkingMemory running;
};

/// A lower bound on the time per micro-batch of the busiest of all these ranks
/// if they share so many equal units, whatever the cuts; saturated if it is
/// above `atMost`, nothing if there is no room for the units, and 0 if it is
/// not above `atLeast`.
std::optional<Nanoseconds>
segmentMakespanBound(std::span<const DeviceKindCapacity> kinds, int64_t units,
                     RecomputeMask allowed, Nanoseconds atLeast,
                     Nanoseconds atMost);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_SEGMENTMAKESPANBOUND_H
