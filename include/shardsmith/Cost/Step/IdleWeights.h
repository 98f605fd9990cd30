// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_COST_STEP_IDLEWEIGHTS_H
#define SHARDSMITH_COST_STEP_IDLEWEIGHTS_H

#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith {

/// How long the other ranks wait while a pipeline of `ranks` with
/// `virtualStages` each fills and drains, in the times of one micro-batch on
/// one rank over the stages of a rank; the rows of docs/schedules.md with
/// b = i + w. Recomputation counts as backward work on activations. None is
/// larger than `backwardInput`.
///
/// An interleaved pipeline of fewer micro-batches than ranks has to wait
/// between the stages of a rank as well: the first micro-batch comes back to a
/// rank after p stages, when the rank has done M of them.
struct IdleWeights {
  int64_t forward = 1, backwardInput = 1, backwardWeight = 1;

  /// They tell the passes apart.
  bool differ() const {
    return forward != backwardInput || backwardWeight != backwardInput;
  }
};
IdleWeights idleWeights(ScheduleFamily family, int64_t ranks,
                        int64_t virtualStages, int64_t microBatches);

/// A pipeline's work, bounded by sums over all units whatever the ranks they
/// are on. With T, F and W the time of a micro-batch, its forward passes and
/// its gradients of parameters, M micro-batches, p ranks of v stages each, and
/// weights f, a and w:
///
///     p · v · work >= M · v · T + idle
///                   = (M · v + a) · T - (a - f) · F - (a - w) · W
///                   = times · (T - forward · F - backwardWeight · W)
struct IdleShares {
  /// M · v + a.
  double times = 1;
  /// How much of each the gaps hide, per nanosecond of time.
  double forward = 0, backwardWeight = 0;

  /// `stages`: M · v.
  static IdleShares of(const IdleWeights &weights, double stages) {
    auto inIdle = double(weights.backwardInput);
    double times = stages + inIdle;
    return {times, (inIdle - double(weights.forward)) / times,
            (inIdle - double(weights.backwardWeight)) / times};
  }
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_IDLEWEIGHTS_H
