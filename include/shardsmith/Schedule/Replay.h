// SPDX-License-Identifier: Apache-2.0
//
// The cheapest proof that a schedule works: run it without doing anything.

#ifndef SHARDSMITH_SCHEDULE_REPLAY_H
#define SHARDSMITH_SCHEDULE_REPLAY_H

#include "shardsmith/Schedule/Schedule.h"

namespace shardsmith::schedule {

/// An entry of a rank's list.
struct StepPosition {
  size_t rank = 0, index = 0;

  bool operator==(const StepPosition &) const = default;
};

/// One thing that is wrong with a schedule.
struct ReplayFinding {
  /// Names rank and action.
  std::string sentence;
  /// The smallest change that removes it; empty where there is no single one.
  std::string fix;
  /// The step that shows it, where one does.
  std::optional<StepPosition> position;
};

/// Replays the lists against the data dependencies. Accepts a schedule if
///  - every stage belongs to one rank and runs every micro-batch once forward
///    and once backward (B, or I followed by W);
///  - no rank waits for ever;
///  - written-out messages pair up: each value that changes ranks is sent once
///    after it was made and received once before it is used, and receives on
///    each pair of ranks are in the order of the sends;
///  - parameters are there whenever a stage computes, and are gathered and
///  freed
///    in turns; gradients are reduced once, behind the last backward pass, of
///    all stages or of none; the update comes once and behind the reduction.
/// Returns at most `limit` findings; none if the schedule is fine.
std::vector<ReplayFinding> findMistakes(const Schedule &schedule,
                                        size_t limit = 20);
/// Their sentences alone.
std::vector<std::string> replay(const Schedule &schedule, size_t limit = 20);

/// When every step of every rank starts if each takes one unit of time and
/// messages take none. The schedule must be compute-only and replay cleanly.
std::vector<std::vector<int64_t>> unitTimes(const Schedule &schedule);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_REPLAY_H
