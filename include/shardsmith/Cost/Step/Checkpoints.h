// SPDX-License-Identifier: Apache-2.0
//
// How often to save the state of a training, where devices fail and the cluster
// file says how often.
//
//     |--------- interval ---------|          J. W. Young, A first order
//     work   work   work   writing  work …    approximation to the optimum
//                       ×                     checkpoint interval, CACM 17,
//                       all since the last    1974: √(2 · writing · mean time
//                       one is lost           between failures)

#ifndef SHARDSMITH_COST_STEP_CHECKPOINTS_H
#define SHARDSMITH_COST_STEP_CHECKPOINTS_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Strategy/Strategy.h"

#include <optional>

namespace shardsmith {

struct CheckpointTimes {
  /// Of one checkpoint, to the storage of all nodes at once.
  Nanoseconds writing;
  /// From the beginning of one to that of the next.
  Nanoseconds interval;
  /// Share of the time that goes into writing, into work that failures undo,
  /// and into reading back, which takes as long as writing; at most 1. Starting
  /// the job again is not counted.
  double lost = 0;

  bool operator==(const CheckpointTimes &) const = default;
};

struct Checkpoints {
  /// All parameters with their optimizer state, once.
  Bytes size;
  /// Mean time between failures of any device that the plan uses.
  Nanoseconds untilFailure;
  /// Nothing where the cluster does not say how fast nodes store.
  std::optional<CheckpointTimes> times;

  bool operator==(const Checkpoints &) const = default;
};

/// Nothing where devices do not fail.
std::optional<Checkpoints> checkpointsOf(const CostContext &context,
                                         const Strategy &strategy);

} // namespace shardsmith

#endif // SHARDSMITH_COST_STEP_CHECKPOINTS_H
