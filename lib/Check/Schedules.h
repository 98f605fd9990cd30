// SPDX-License-Identifier: Apache-2.0
//
// What the checker knows of each schedule family, derived from the lists of
// actions in docs/schedules.md and not from the planner's traits.

#ifndef SHARDSMITH_LIB_CHECK_SCHEDULES_H
#define SHARDSMITH_LIB_CHECK_SCHEDULES_H

#include "shardsmith/Strategy/Strategy.h"

#include <span>
#include <utility>

namespace shardsmith::check {

/// A pipeline of `ranks` ranks with `stages` stages each.
struct PipelineSize {
  int64_t ranks = 1, stages = 1, microBatches = 1;

  /// Ranks that others wait for while the pipeline fills and drains.
  int64_t gaps() const { return ranks - 1; }
  /// The gradient of parameters of one micro-batch is the last of the step.
  int64_t delayed() const { return microBatches - 1; }
};

/// Passes of one micro-batch through all stages of a rank.
struct Passes {
  Nanoseconds forward, backwardInput, backwardWeight;
};

struct ScheduleFacts {
  ScheduleFamily family;
  /// What a rank idles while the pipeline fills and drains.
  Nanoseconds (*idle)(const PipelineSize &size, const Passes &passes);
  /// Passes of a stage that a rank has begun and not ended at its peak, over
  /// the stages it has.
  std::pair<int64_t, int64_t> (*inFlight)(const PipelineSize &size,
                                          int64_t rank);
  /// Ranks send while they work on another micro-batch.
  bool sendsBesideWork = false;
  /// Sums and means are believed if they are short by no more than this part of
  /// the time of the schedule when it is walked through.
  double believedShare = 0.004;
};

std::span<const ScheduleFacts> allSchedules();
const ScheduleFacts &factsOf(ScheduleFamily family);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_SCHEDULES_H
