// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_COST_IDLEWEIGHTS_H
#define SHARDSMITH_COST_IDLEWEIGHTS_H

#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith {

/// How long the other ranks wait, in the times of one micro-batch on one rank;
/// the rows of docs/schedules.md with b = i + w. Recomputation counts as
/// backward work on activations. None is larger than `backwardInput`, which is
/// at least 1.
struct IdleWeights {
  int64_t forward = 1, backwardInput = 1, backwardWeight = 1;

  auto operator<=>(const IdleWeights &) const = default;
};

IdleWeights idleWeights(ScheduleFamily family);

} // namespace shardsmith

#endif // SHARDSMITH_COST_IDLEWEIGHTS_H
