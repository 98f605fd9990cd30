// SPDX-License-Identifier: Apache-2.0
//
//     rank 0   F0 F1 ·  ·  B0 B1       a rank stops where what it needs has not
//     rank 1   ·  F0 B0 F1 B1          arrived, and goes on when it has: the
//                                      ranks take turns until all are through
//
// When a pass ends follows from the ends of the passes before it alone, not
// from the order of these turns, and the turns do not depend on what passes
// take. So they are taken once per schedule, and then played with any times:
//
//     F0 F1 | F0 B0 F1 B1 | B0 B1

#include "shardsmith/Schedule/PlayedPeriod.h"

#include "Dependencies.h"
#include "PlayedTimes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace shardsmith::schedule {
namespace {

/// In their order, before all others.
constexpr std::array passKinds = {ActionKind::Forward, ActionKind::Backward,
                                  ActionKind::BackwardInput,
                                  ActionKind::BackwardWeight};

/// A pass in the order of the turns. A value is an activation or a gradient of
/// one micro-batch, as it is handed to the next stage.
struct Turn {
  static constexpr uint32_t none = ~uint32_t(0);

  uint32_t rank = 0;
  /// Of all micro-batches together: kind and stage.
  uint32_t pass = 0;
  /// Its own time is that of the pass, or that of a pair of passes.
  uint32_t duration = 0;
  /// The value that the pass reads, and the one that it makes; or none.
  uint32_t needs = none, makes = none;
  /// Whether it runs at the same time as the turn behind it, or before it.
  bool isFirstOfPair = false, isSecondOfPair = false;
  /// Whether the stage has the gradients of its parameters then.
  bool isLastOfStage = false;
};

/// A schedule as the turns that its ranks take.
class Turns {
public:
  Turns(const Schedule &schedule)
      : stages(schedule.stageCount), microBatches(schedule.microBatchCount),
        ranks(schedule.ranks.size()), rankOfStage(schedule.rankOfStage()),
        known(size_t(2 * stages * microBatches)),
        gradientsLeft(size_t(stages), microBatches) {
    std::vector<size_t> positions(ranks);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < ranks; ++rank) {
        const std::vector<Step> &steps = schedule.ranks[rank];
        size_t &position = positions[rank];
        for (; position < steps.size() && isReady(steps[position]);
             ++position) {
          take(uint32_t(rank), steps[position]);
          moved = true;
        }
      }
    }
    known = {};
  }

  Nanoseconds period(std::span<const StageDurations> times,
                     double slowdown) const;

private:
  uint32_t valueOf(bool isActivation, int64_t stage, int64_t microBatch) const {
    return uint32_t((isActivation ? stage : stages + stage) * microBatches +
                    microBatch);
  }
  uint32_t neededBy(const Action &action) const {
    bool isForward = action.kind == ActionKind::Forward;
    int64_t from = isForward ? action.stage - 1 : action.stage + 1;
    if (action.kind == ActionKind::BackwardWeight || from < 0 || from == stages)
      return Turn::none;
    return valueOf(isForward, from, action.microBatch);
  }
  bool isThere(const Action &action) const {
    uint32_t value = neededBy(action);
    return value == Turn::none || known[value];
  }
  bool isReady(const Step &step) const {
    return isThere(step.action) && (!step.partner || isThere(*step.partner));
  }

  void take(uint32_t rank, const Step &step) {
    Turn first = turnOf(rank, step.action);
    if (!step.partner)
      return turns.push_back(first);
    Turn second = turnOf(rank, *step.partner);
    auto [pair, isNew] = numberOfPair.try_emplace(
        {first.pass, second.pass}, uint32_t(passes() + pairs.size()));
    if (isNew)
      pairs.push_back(step);
    first.duration = second.duration = pair->second;
    first.isFirstOfPair = second.isSecondOfPair = true;
    turns.push_back(first);
    turns.push_back(second);
  }
  Turn turnOf(uint32_t rank, const Action &action) {
    Turn turn;
    turn.rank = rank;
    turn.pass = turn.duration =
        uint32_t(int64_t(action.kind) * stages + action.stage);
    turn.needs = neededBy(action);
    turn.isLastOfStage = makesWeightGradient(action.kind) &&
                         --gradientsLeft[size_t(action.stage)] == 0;
    if (action.kind == ActionKind::BackwardWeight)
      return turn;
    turn.makes = valueOf(action.kind == ActionKind::Forward, action.stage,
                         action.microBatch);
    known[turn.makes] = true;
    return turn;
  }
  size_t passes() const { return passKinds.size() * size_t(stages); }

  int64_t stages, microBatches;
  size_t ranks;
  std::vector<int64_t> rankOfStage;
  std::vector<Turn> turns;
  /// Passes of two stages at the same time, each pair once.
  std::vector<Step> pairs;

  // While the turns are taken: the values that were made, per stage the
  // micro-batches whose gradients of parameters are missing, and the durations
  // of pairs by their passes.
  std::vector<bool> known;
  std::vector<int64_t> gradientsLeft;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numberOfPair;
};

Nanoseconds Turns::period(std::span<const StageDurations> stageTimes,
                          double slowdown) const {
  PlayedTimes times(stageTimes, rankOfStage, slowdown);
  /// The message that a pass hands on, if there is one.
  struct Message {
    int64_t time = 0;
    size_t link = 0;
    bool isSent = false;
  };
  std::vector<int64_t> durations;
  std::vector<Message> messages(passes());
  for (ActionKind kind : passKinds)
    for (int64_t stage = 0; stage < stages; ++stage) {
      Action action{kind, stage, 0};
      Message &message = messages[durations.size()];
      durations.push_back(times.onRank({action, {}}).count());
      if (kind == ActionKind::BackwardWeight)
        continue;
      if (std::optional<Nanoseconds> sent = times.messageOf(action)) {
        auto from = size_t(times.rankOf(stage));
        auto to = size_t(times.rankOf(*readerOf(action, stages)));
        message = {sent->count(), from * ranks + to, true};
      }
    }
  for (const Step &pair : pairs)
    durations.push_back(times.onRank(pair).count());

  constexpr int64_t notYet = -1;
  struct Rank {
    int64_t start = notYet, free = 0;
    /// When the stages' last gradients were made, in that order.
    std::vector<PlayedTimes::GradientsMade> gradientsMade;
  };
  std::vector<Rank> all(ranks);
  // When a link is free again, by sender and receiver, and when values are
  // where they are read.
  std::vector<int64_t> links(ranks * ranks);
  std::vector<int64_t> arrivals(size_t(2 * stages * microBatches));
  auto arrivalOf = [&](const Turn &turn) {
    return turn.needs == Turn::none ? 0 : arrivals[turn.needs];
  };
  for (size_t i = 0; i < turns.size(); ++i) {
    const Turn &turn = turns[i];
    Rank &rank = all[turn.rank];
    if (!turn.isSecondOfPair) {
      int64_t start = std::max(rank.free, arrivalOf(turn));
      if (turn.isFirstOfPair)
        start = std::max(start, arrivalOf(turns[i + 1]));
      if (rank.start == notYet)
        rank.start = start;
      rank.free = start + durations[turn.duration];
    }
    if (turn.isLastOfStage)
      rank.gradientsMade.push_back(
          {Nanoseconds(rank.free), int64_t(turn.pass) % stages});
    if (turn.makes == Turn::none)
      continue;
    int64_t arrived = rank.free;
    const Message &message = messages[turn.pass];
    if (message.isSent) {
      int64_t &link = links[message.link];
      link = std::max(link, arrived) + message.time;
      arrived = link;
    }
    arrivals[turn.makes] = arrived;
  }
  int64_t longest = 0;
  for (const Rank &rank : all) {
    Nanoseconds end = times.endOf(rank.gradientsMade, Nanoseconds(rank.free));
    longest = std::max(longest, end.count() - rank.start);
  }
  return Nanoseconds(longest);
}

struct Order {
  ScheduleFamily family;
  PipelineShape shape;
  Turns turns;
};

/// Stages are compared by playing one order many times: each thread keeps the
/// last ones.
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
  auto order = std::make_shared<const Order>(family, shape, Turns(*schedule));
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
    return order->turns.period(stages, overlapSlowdown);
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
