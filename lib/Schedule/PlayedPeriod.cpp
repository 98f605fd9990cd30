// SPDX-License-Identifier: Apache-2.0
//
//     rank 0   F0 F1 ·  ·  B0 B1       a rank stops where what it needs has not
//     rank 1   ·  F0 B0 F1 B1          arrived, and goes on when it has: the
//                                      ranks take turns until all are through
//
// Nothing here depends on the order of these turns: when a pass ends follows
// from the ends of the passes before it alone.

#include "shardsmith/Schedule/PlayedPeriod.h"

#include "Dependencies.h"
#include "PlayedTimes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <vector>

namespace shardsmith::schedule {
namespace {

constexpr int64_t notYet = -1;

class Turns {
public:
  Turns(const Schedule &schedule, std::vector<int64_t> rankOfStage,
        std::span<const StageDurations> stages, double slowdown)
      : schedule(schedule), times(stages, std::move(rankOfStage), slowdown),
        ranks(schedule.ranks.size()), links(ranks.size() * ranks.size()) {
    for (ActionKind kind : passKinds)
      for (int64_t stage = 0; stage < schedule.stageCount; ++stage)
        setPass({kind, stage, 0});
    auto values = size_t(schedule.stageCount * schedule.microBatchCount);
    activations.assign(values, notYet);
    gradients.assign(values, notYet);
    gradientsLeft.assign(size_t(schedule.stageCount), schedule.microBatchCount);
  }

  Nanoseconds period() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < ranks.size(); ++rank)
        while (ranks[rank].position < schedule.ranks[rank].size() &&
               run(rank, schedule.ranks[rank][ranks[rank].position])) {
          ++ranks[rank].position;
          moved = true;
        }
    }
    int64_t longest = 0;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      longest = std::max(longest, endOf(rank) - ranks[rank].start);
    return Nanoseconds(longest);
  }

private:
  struct RankState {
    size_t position = 0;
    int64_t start = notYet, free = 0;
    /// When the stages' last gradients were made, in that order.
    std::vector<PlayedTimes::GradientsMade> gradientsMade;
  };

  /// In their order, before all others.
  static constexpr std::array passKinds = {
      ActionKind::Forward, ActionKind::Backward, ActionKind::BackwardInput,
      ActionKind::BackwardWeight};

  /// What is the same for all micro-batches of a stage.
  struct Pass {
    /// Where it runs alone.
    int64_t duration = 0;
    /// Of the message that it hands on, if there is one.
    std::optional<int64_t> message;
    size_t link = 0;
  };
  void setPass(const Action &action) {
    Pass &pass = passes.emplace_back();
    pass.duration = times.onRank({action, {}}).count();
    if (action.kind == ActionKind::BackwardWeight)
      return;
    if (std::optional<Nanoseconds> message = times.messageOf(action)) {
      auto from = size_t(times.rankOf(action.stage));
      auto to = size_t(times.rankOf(*readerOf(action, schedule.stageCount)));
      pass.message = message->count();
      pass.link = from * ranks.size() + to;
    }
  }
  const Pass &passOf(const Action &action) const {
    return passes[size_t(int64_t(action.kind) * schedule.stageCount +
                         action.stage)];
  }

  size_t place(const Action &action) const {
    return size_t(action.stage * schedule.microBatchCount + action.microBatch);
  }
  /// When all that the pass reads is there; `notYet` if something is not.
  int64_t readyAt(const Action &action) const {
    int64_t ready = 0;
    if (action.kind == ActionKind::BackwardWeight)
      return ready;
    if (action.kind == ActionKind::Forward) {
      if (action.stage > 0)
        ready = activations[place(
            {action.kind, action.stage - 1, action.microBatch})];
      return ready;
    }
    if (action.stage + 1 < schedule.stageCount)
      ready =
          gradients[place({action.kind, action.stage + 1, action.microBatch})];
    return ready;
  }
  bool run(size_t number, const Step &step) {
    RankState &rank = ranks[number];
    int64_t ready = readyAt(step.action);
    if (ready == notYet)
      return false;
    int64_t duration = step.partner ? times.onRank(step).count()
                                    : passOf(step.action).duration;
    if (step.partner) {
      int64_t other = readyAt(*step.partner);
      if (other == notYet)
        return false;
      ready = std::max(ready, other);
    }
    int64_t start = std::max(rank.free, ready);
    if (rank.start == notYet)
      rank.start = start;
    rank.free = start + duration;
    forEachAction(step, [&](const Action &action) { handOn(rank, action); });
    return true;
  }

  void handOn(RankState &rank, const Action &action) {
    if (makesWeightGradient(action.kind) &&
        --gradientsLeft[size_t(action.stage)] == 0)
      rank.gradientsMade.push_back({Nanoseconds(rank.free), action.stage});
    if (action.kind == ActionKind::BackwardWeight)
      return;
    bool isForward = action.kind == ActionKind::Forward;
    int64_t arrived = rank.free;
    const Pass &pass = passOf(action);
    if (pass.message) {
      int64_t &link = links[pass.link];
      link = std::max(link, arrived) + *pass.message;
      arrived = link;
    }
    (isForward ? activations : gradients)[place(action)] = arrived;
  }

  int64_t endOf(size_t number) const {
    const RankState &rank = ranks[number];
    return times.endOf(rank.gradientsMade, Nanoseconds(rank.free)).count();
  }

  const Schedule &schedule;
  PlayedTimes times;
  std::vector<RankState> ranks;
  /// By kind and stage.
  std::vector<Pass> passes;
  /// When a link is free again, by sender and receiver.
  std::vector<int64_t> links;
  /// When they are where they are read, by stage and micro-batch.
  std::vector<int64_t> activations, gradients;
  /// Per stage, of how many micro-batches gradients of parameters are missing.
  std::vector<int64_t> gradientsLeft;
};

struct Order {
  ScheduleFamily family;
  PipelineShape shape;
  Schedule schedule;
  std::vector<int64_t> rankOfStage;
};

/// The order of passes does not depend on what they take, and stages are
/// compared by playing one order many times: each thread keeps the last ones.
std::shared_ptr<const Order> orderOf(ScheduleFamily family,
                                     const PipelineShape &shape) {
  constexpr size_t most = 8;
  thread_local std::deque<std::shared_ptr<const Order>> known;
  for (const std::shared_ptr<const Order> &each : known)
    if (each->family == family && each->shape == shape)
      return each;
  std::string error;
  std::optional<Schedule> schedule = makeSchedule(family, shape, error);
  if (!schedule)
    return nullptr;
  std::vector<int64_t> rankOfStage = schedule->rankOfStage();
  auto order = std::make_shared<const Order>(
      family, shape, std::move(*schedule), std::move(rankOfStage));
  // Longer ones would take too much memory.
  if (shape.stageCount() * shape.microBatches > 2 * longestPlay)
    return order;
  known.push_front(order);
  if (known.size() > most)
    known.pop_back();
  return order;
}

} // namespace

Nanoseconds playedPeriod(ScheduleFamily family, const PipelineShape &shape,
                         std::span<const StageDurations> stages,
                         double overlapSlowdown) {
  auto playOf = [&](int64_t microBatches) {
    PipelineShape played = shape;
    played.microBatches = microBatches;
    std::shared_ptr<const Order> order = orderOf(family, played);
    if (!order ||
        !checkDurations({stages.begin(), stages.end()}, microBatches).empty())
      return Nanoseconds::saturated();
    return Turns(order->schedule, order->rankOfStage, stages, overlapSlowdown)
        .period();
  };
  // Whole rounds, and enough of them that every rank has reached its pace.
  int64_t most = longestPlay / shape.stageCount();
  int64_t fewer = std::max<int64_t>(most / (2 * shape.ranks), 4) * shape.ranks;
  int64_t more = 2 * fewer;
  if (shape.microBatches <= std::max(most, more))
    return playOf(shape.microBatches);
  Nanoseconds atFewer = playOf(fewer), atMore = playOf(more);
  if (atFewer.isSaturated() || atMore.isSaturated())
    return Nanoseconds::saturated();
  double pace = double((atMore - atFewer).count()) / double(more - fewer);
  double period =
      double(atMore.count()) + pace * double(shape.microBatches - more);
  return period < 9e18 ? Nanoseconds(std::llround(period))
                       : Nanoseconds::saturated();
}

} // namespace shardsmith::schedule
