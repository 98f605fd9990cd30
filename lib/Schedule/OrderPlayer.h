// SPDX-License-Identifier: Apache-2.0
//
// Plays pass orders, some hundred thousand of them in a second.

#ifndef SHARDSMITH_LIB_SCHEDULE_ORDERPLAYER_H
#define SHARDSMITH_LIB_SCHEDULE_ORDERPLAYER_H

#include "PassOrder.h"
#include "PlayedTimes.h"
#include "shardsmith/Schedule/ScheduleSearch.h"

#include <array>

namespace shardsmith::schedule {

/// What a pass changes on its rank.
struct PassCost {
  Nanoseconds duration;
  /// Of the message to another rank that reads it, if one does.
  std::optional<Nanoseconds> message;
  int64_t reader = -1;
  /// Saved from the start of the pass on, and freed at its end.
  Bytes held, freed;
};

/// Costs of all passes of a problem. Without a slowdown by messages they add
/// up to what `simulate` finds; with one they are as near as `PlayedTimes`.
class PassCosts {
public:
  explicit PassCosts(const PipelineProblem &problem);

  const PassCost &of(const Pass &pass) const {
    return costs[size_t(pass.stage)][size_t(pass.kind)];
  }
  /// Of a forward and a backward pass that run together.
  Nanoseconds pairDuration(int64_t forwardStage, int64_t backwardStage) const {
    return pairs[size_t(forwardStage * times.stageCount() + backwardStage)];
  }
  /// What one micro-batch holds on the rank if all its stages have run forward.
  Bytes microBatchOn(int64_t rank) const;
  /// What the busiest rank has to do in a step, but for communication that
  /// passes of different stages that run together could hide: a lower bound.
  Nanoseconds busiestRank() const;

  const PipelineProblem &problem;
  const PlayedTimes times;

private:
  std::vector<std::array<PassCost, 4>> costs;
  /// By stages of the forward and the backward pass.
  std::vector<Nanoseconds> pairs;
};

/// The period first, so that orders compare by it; then the sum of all ranks'
/// times, which shows progress where several ranks are busy longest.
struct OrderCost {
  Nanoseconds period, sum;

  auto operator<=>(const OrderCost &) const = default;
};

class OrderPlayer {
public:
  explicit OrderPlayer(const PassCosts &costs);

  /// Nothing if a rank would wait for ever.
  std::optional<OrderCost> play(const PassOrder &order);
  /// Whether the rank's list stays within its memory.
  bool fits(const std::vector<Pass> &passes, size_t rank) const;
  bool fits(const PassOrder &order) const;

  /// A step of the last played order that starts the moment the step before it
  /// on its rank ends, and that something waited for on the way to the end of
  /// the rank that was busy longest: running it earlier may help. The passes
  /// are found from the end backwards; `visit` gets rank and index.
  template <typename Visitor> void walkCriticalPath(Visitor visit) const;

  /// Passes that were played so far; what each play takes besides counts as
  /// some more.
  int64_t played() const { return playedPasses; }

private:
  static constexpr int64_t notYet = -1;

  struct Place {
    size_t rank = 0, index = 0;
  };
  struct PlayedStep {
    int64_t start = 0, end = 0;
    /// When what it reads was there, and where that was made.
    int64_t ready = 0;
    Place maker;
    bool hasMaker = false;
  };
  struct Value {
    int64_t time = notYet;
    Place maker;
  };
  struct StageCounts {
    int64_t forward = 0, backward = 0, weight = 0, split = 0;
  };

  /// The value that the pass reads from another stage, if there is one.
  const Value *readBy(const Pass &pass) const;
  /// Whether the stage itself is as far as the pass needs it.
  bool isStageReady(const Pass &pass) const;
  int64_t nextMicroBatch(const Pass &pass) const;
  /// Runs a list's step unless it has to wait.
  bool run(const Pass &pass, Place place);
  /// Notes that the pass has run, and hands on what it made.
  void finish(const Pass &pass, Place place);
  size_t indexOf(int64_t stage, int64_t m) const {
    return size_t(stage * microBatches + m);
  }

  const PassCosts &costs;
  int64_t stageCount, microBatches;
  std::vector<StageCounts> counts;
  std::vector<Value> activations, gradients;
  std::vector<int64_t> links, free;
  std::vector<std::vector<PlayedStep>> steps;
  std::vector<std::vector<PlayedTimes::GradientsMade>> made;
  size_t longestRank = 0;
  int64_t playedPasses = 0;
};

template <typename Visitor>
void OrderPlayer::walkCriticalPath(Visitor visit) const {
  if (steps[longestRank].empty())
    return;
  Place place{longestRank, steps[longestRank].size() - 1};
  for (;;) {
    const PlayedStep &step = steps[place.rank][place.index];
    bool follows =
        place.index > 0 && steps[place.rank][place.index - 1].end == step.start;
    if (follows) {
      visit(place.rank, place.index);
      --place.index;
    } else if (step.hasMaker) {
      place = step.maker;
    } else {
      return;
    }
  }
}

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_ORDERPLAYER_H
