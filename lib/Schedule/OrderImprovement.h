// SPDX-License-Identifier: Apache-2.0
//
// Improves a pass order by moving single passes to other places of their ranks'
// lists. Most moves run a pass earlier that the critical path goes through;
// some move any pass, to get out of what no such move improves; and where there
// is communication to hide, some let passes of different stages run together,
// or no longer. A changed order
// is kept if it is no worse than the present one, or than that of a while ago
// (late acceptance).

#ifndef SHARDSMITH_LIB_SCHEDULE_ORDERIMPROVEMENT_H
#define SHARDSMITH_LIB_SCHEDULE_ORDERIMPROVEMENT_H

#include "OrderPlayer.h"

namespace shardsmith::schedule {

struct RatedOrder {
  PassOrder order;
  OrderCost cost;
  /// Tells orders apart that cost the same.
  size_t number = 0;
};

struct ImprovementOptions {
  /// Whether a backward pass that runs alone may be in two halves.
  bool splitsBackward = true;
  /// Whether forward and backward passes of different stages may run together.
  bool pairsPasses = true;
  uint64_t seed = 1;
};

/// The best order met; at least as good as `from`, which must fit the memory
/// and wait for nothing for ever. Ends when the player has played `effort`
/// passes more, or at a period of `aim`.
RatedOrder improve(OrderPlayer &player, RatedOrder from, int64_t effort,
                   Nanoseconds aim, const ImprovementOptions &options = {});

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_ORDERIMPROVEMENT_H
