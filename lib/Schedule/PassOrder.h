// SPDX-License-Identifier: Apache-2.0
//
// Schedules without micro-batches, as the search changes them.
//
// Micro-batches are alike: relabelling them so that each stage runs its k-th
// forward pass on the k-th micro-batch, and its k-th backward pass too, changes
// neither times nor memory. So nothing is lost if only such schedules are
// looked at, and in them the micro-batch of a pass is the number of passes of
// its kind before it. What is left of a rank's list are stages and kinds:
//
//     1F0 1F1 1I0 1F2 1W0 1I1 …   is   1F 1F 1I 1F 1W 1I …

#ifndef SHARDSMITH_LIB_SCHEDULE_PASSORDER_H
#define SHARDSMITH_LIB_SCHEDULE_PASSORDER_H

#include "shardsmith/Schedule/Schedule.h"

namespace shardsmith::schedule {

/// A kind of pass of one stage; B and I count together.
struct Pass {
  ActionKind kind = ActionKind::Forward;
  int64_t stage = 0;
  /// A forward pass may run together with B of another stage.
  std::optional<int64_t> backwardStage = std::nullopt;

  bool operator==(const Pass &) const = default;
};

/// Per rank. Every stage has as many forward passes as there are micro-batches,
/// as many B and I together, and as many W as I.
using PassOrder = std::vector<std::vector<Pass>>;

PassOrder orderOf(const Schedule &schedule);

/// Backward passes of the first stage whose halves follow each other are
/// written as one: nobody waits for the first half.
Schedule scheduleOf(const PassOrder &order, int64_t stages,
                    int64_t microBatches);

/// The order with every B as I and W, and nothing that runs together.
PassOrder withSplitBackward(const PassOrder &order);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_PASSORDER_H
