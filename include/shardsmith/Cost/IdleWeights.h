// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_COST_IDLEWEIGHTS_H
#define SHARDSMITH_COST_IDLEWEIGHTS_H

#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith {

/// How long the other ranks wait while a pipeline of `ranks` fills and drains,
/// in the times of one micro-batch on one rank; the rows of docs/schedules.md
/// with b = i + w. Recomputation counts as backward work on activations. None
/// is larger than `backwardInput`.
struct IdleWeights {
  int64_t forward = 1, backwardInput = 1, backwardWeight = 1;

  /// They tell the passes apart.
  bool differ() const {
    return forward != backwardInput || backwardWeight != backwardInput;
  }
};
IdleWeights idleWeights(ScheduleFamily family, int64_t ranks,
                        int64_t microBatches);

} // namespace shardsmith

#endif // SHARDSMITH_COST_IDLEWEIGHTS_H
