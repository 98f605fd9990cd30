// SPDX-License-Identifier: Apache-2.0
//
// What passes and messages take when a schedule is played without a timeline,
// rank by rank. While a message is under way its two ranks compute slower; here
// each message lengthens the pass that makes it and the pass that reads it by
// so much, wherever it really falls.

#ifndef SHARDSMITH_LIB_SCHEDULE_PLAYEDTIMES_H
#define SHARDSMITH_LIB_SCHEDULE_PLAYEDTIMES_H

#include "StepDurations.h"

#include <span>

namespace shardsmith::schedule {

class PlayedTimes {
public:
  PlayedTimes(std::span<const StageDurations> stages,
              std::vector<int64_t> rankOfStage, double slowdown)
      : stages(stages.begin(), stages.end()),
        durations(this->stages, {.overlapSlowdown = slowdown}),
        slowed(slowdown - 1), owner(std::move(rankOfStage)) {}
  PlayedTimes(const PlayedTimes &) = delete;
  PlayedTimes &operator=(const PlayedTimes &) = delete;

  /// Of the step on its rank, with what its messages slow it down by.
  Nanoseconds onRank(const Step &step) const;
  /// Of the message that the pass hands on; nothing if its reader is on the
  /// same rank, or if nobody reads it.
  std::optional<Nanoseconds> messageOf(const Action &pass) const;

  /// When the last gradient of a stage was made.
  struct GradientsMade {
    Nanoseconds time;
    int64_t stage;
  };
  /// When the rank is through that has run its passes at `free`: reductions
  /// follow one another beside what it computes, which they slow down, and the
  /// optimizer's steps come behind all of them.
  Nanoseconds endOf(std::span<const GradientsMade> made,
                    Nanoseconds free) const;
  /// The same where the steps of the optimizer are in the order of the stages
  /// and each waits for its own reduction alone, as in a simulation.
  Nanoseconds endWithUpdatesInOrder(std::span<const GradientsMade> made,
                                    Nanoseconds free) const;

  int64_t rankOf(int64_t stage) const { return owner[size_t(stage)]; }
  int64_t stageCount() const { return int64_t(stages.size()); }

private:
  int64_t slowedBy(const Action &action) const;
  /// Calls `visit` with each stage and the end of its reduction. Returns when
  /// the passes have ended that the reductions slow down.
  template <typename Visitor>
  int64_t reduce(std::span<const GradientsMade> made, Nanoseconds free,
                 Visitor visit) const;

  std::vector<StageDurations> stages;
  StepDurations durations;
  /// Share of a message's time.
  double slowed;
  std::vector<int64_t> owner;
};

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_PLAYEDTIMES_H
