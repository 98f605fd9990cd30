// SPDX-License-Identifier: Apache-2.0
//
// Weights of the pipeline bubble per schedule family, and the lower bounds that
// follow from them.

#ifndef SHARDSMITH_COST_STEP_IDLEWEIGHTS_H
#define SHARDSMITH_COST_STEP_IDLEWEIGHTS_H

#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith {

/// The pipeline bubble of a schedule family: how long all other ranks together
/// wait for a rank while the pipeline fills and drains, in passes of one
/// micro-batch on that rank, divided by its stages. The weights are those of
/// the table in docs/schedules.md with b = i + w. Recomputation counts as
/// backward pass of activations. No weight is larger than `backwardInput`.
///
/// An interleaved pipeline of fewer micro-batches than ranks has to wait
/// between the stages of a rank as well: the first micro-batch comes back to a
/// rank after p stages, when the rank has done M of them.
struct IdleWeights {
  int64_t forward = 1, backwardInput = 1, backwardWeight = 1;

  /// Whether the passes have different weights, so that a layout with a slower
  /// sum of passes may be the better one.
  bool differ() const {
    return forward != backwardInput || backwardWeight != backwardInput;
  }
};
IdleWeights idleWeights(ScheduleFamily family, int64_t ranks,
                        int64_t virtualStages, int64_t microBatches);

/// A lower bound on the work of a pipeline by sums over all units, on whichever
/// ranks they lie. Let T, F and W be the time of a micro-batch through all
/// units, of its forward passes and of its gradients of parameters; M the
/// micro-batches; p the ranks of v stages each; and f, a and w the weights:
///
///     p · v · work >= M · v · T + idle
///                   = (M · v + a) · T - (a - f) · F - (a - w) · W
///                   = times · (T - forward · F - backwardWeight · W)
struct IdleShares {
  /// The factor M · v + a.
  double times = 1;
  /// How much a nanosecond of each pass reduces the share of a unit, because it
  /// fills gaps.
  double forward = 0, backwardWeight = 0;

  /// `stages` is M · v.
  static IdleShares of(const IdleWeights &weights, double stages) {
    auto inIdle = double(weights.backwardInput);
    double times = stages + inIdle;
    return {times, (inIdle - double(weights.forward)) / times,
            (inIdle - double(weights.backwardWeight)) / times};
  }
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_IDLEWEIGHTS_H
