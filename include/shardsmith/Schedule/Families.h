// SPDX-License-Identifier: Apache-2.0
//
// The schedule families: which orders they prescribe, and for which pipelines.
// Rules, pictures and sources: docs/schedules.md.

#ifndef SHARDSMITH_SCHEDULE_FAMILIES_H
#define SHARDSMITH_SCHEDULE_FAMILIES_H

#include "shardsmith/Schedule/Schedule.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::schedule {

struct PipelineShape {
  int64_t ranks = 1;
  /// Stages per rank.
  int64_t virtualStages = 1;
  int64_t microBatches = 1;

  int64_t stageCount() const { return ranks * virtualStages; }
  bool operator==(const PipelineShape &) const = default;
};

/// Why the family cannot run a pipeline of this shape, and the smallest change
/// with which it could; empty if it can.
std::string obstacle(ScheduleFamily family, const PipelineShape &shape);

/// True if backward passes are split into I and W, at least in part.
bool splitsBackward(ScheduleFamily family);

/// The compute-only schedule; fails with `obstacle` in `error`, or because it
/// would be too long to write down.
/// `transferShare` is the time of one transfer ÷ that of one stage's forward
/// pass, between 0 and 1: ZB-H2 runs further ahead the longer transfers take.
std::optional<Schedule> makeSchedule(ScheduleFamily family,
                                     const PipelineShape &shape,
                                     std::string &error,
                                     double transferShare = 0);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_FAMILIES_H
