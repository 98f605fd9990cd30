// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/RankActions.h"

#include "Messages.h"
#include "shardsmith/Schedule/Replay.h"

#include <algorithm>
#include <map>

namespace shardsmith::schedule {
namespace {

/// From a rank to another one.
using Direction = std::pair<int64_t, int64_t>;

Direction directionOf(size_t rank, const RankAction &action) {
  auto here = static_cast<int64_t>(rank);
  int64_t peer = action.message->peer;
  return isSend(action.step.action.kind) ? Direction(here, peer)
                                         : Direction(peer, here);
}

/// Runs lists on links that hold so many messages per direction.
class BoundedRun {
public:
  BoundedRun(const RankActions &actions, ReceiveKind receives, int64_t buffers)
      : actions(actions), receives(receives), buffers(buffers),
        standing(actions.size(), 0) {
    for (size_t rank = 0; rank < actions.size(); ++rank)
      for (const RankAction &action : actions[rank])
        note(rank, action);
  }

  bool ends() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < actions.size(); ++rank)
        for (; standing[rank] < actions[rank].size() &&
               run(rank, actions[rank][standing[rank]]);
             ++standing[rank])
          moved = true;
    }
    for (size_t rank = 0; rank < actions.size(); ++rank)
      if (standing[rank] < actions[rank].size())
        return false;
    return true;
  }

private:
  struct Traffic {
    int64_t sent = 0, received = 0;
  };
  struct Arrival {
    Direction direction;
    int64_t number;
  };

  /// Counts stages, and notes which message brings what.
  void note(size_t rank, const RankAction &action) {
    forEachAction(action.step, [&](const Action &each) {
      stageCount = std::max(stageCount, each.stage + 1);
    });
    if (action.message && !isSend(action.step.action.kind))
      arrivals[carriedBy(action.step.action)] = {directionOf(rank, action),
                                                 action.message->number};
  }

  /// True of what the rank makes by itself: its list has it further up.
  bool hasArrived(size_t rank, const Value &value) {
    auto arrival = arrivals.find(value);
    if (arrival == arrivals.end())
      return true;
    const auto &[direction, number] = arrival->second;
    return direction.second != int64_t(rank) ||
           traffic[direction].sent > number;
  }

  bool run(size_t rank, const RankAction &action) {
    if (!action.message)
      return receives == ReceiveKind::Blocking || isReady(rank, action.step);
    Traffic &link = traffic[directionOf(rank, action)];
    if (isSend(action.step.action.kind)) {
      if (link.sent - link.received >= buffers)
        return false;
      ++link.sent;
      return true;
    }
    bool waits =
        receives == ReceiveKind::Blocking && link.received == link.sent;
    if (waits)
      return false;
    ++link.received;
    return true;
  }

  /// What other ranks make for the step has arrived.
  bool isReady(size_t rank, const Step &step) {
    bool ready = true;
    forEachAction(step, [&](const Action &action) {
      for (const Value &value : needs(action, stageCount))
        ready &= hasArrived(rank, value);
    });
    return ready;
  }

  const RankActions &actions;
  ReceiveKind receives;
  int64_t buffers;
  int64_t stageCount = 0;
  std::vector<size_t> standing;
  std::map<Direction, Traffic> traffic;
  std::map<Value, Arrival> arrivals;
};

int64_t mostMessages(const RankActions &actions) {
  int64_t most = 0;
  for (const auto &list : actions)
    for (const RankAction &action : list)
      if (action.message)
        most = std::max(most, action.message->number + 1);
  return most;
}

} // namespace

std::optional<RankActions> rankActions(const Schedule &schedule,
                                       std::string &error,
                                       const CommunicationOptions &options) {
  error.clear();
  // Receives of a schedule that waits for ever could not be placed.
  std::vector<std::string> mistakes = replay(schedule, 1);
  if (!mistakes.empty()) {
    error = mistakes.front();
    return std::nullopt;
  }
  Schedule complete = addCommunication(schedule, options);
  std::vector<int64_t> owner = complete.rankOfStage();
  RankActions actions(complete.ranks.size());
  std::map<std::pair<Direction, bool>, int64_t> counts;
  for (size_t rank = 0; rank < complete.ranks.size(); ++rank)
    for (const Step &step : complete.ranks[rank]) {
      RankAction action{step, {}};
      if (isCommunication(step.action.kind)) {
        action.message = {owner[size_t(peerStage(step.action))], 0};
        auto direction = directionOf(rank, action);
        action.message->number =
            counts[{direction, isSend(step.action.kind)}]++;
      }
      actions[rank].push_back(action);
    }
  return actions;
}

std::optional<int64_t> leastBuffers(const RankActions &actions,
                                    ReceiveKind receives) {
  // More buffers never hurt; as many as messages are no limit.
  int64_t enough = std::max<int64_t>(mostMessages(actions), 1), least = 1;
  if (!BoundedRun(actions, receives, enough).ends())
    return std::nullopt;
  while (least < enough) {
    int64_t middle = least + (enough - least) / 2;
    if (BoundedRun(actions, receives, middle).ends())
      enough = middle;
    else
      least = middle + 1;
  }
  return least;
}

} // namespace shardsmith::schedule
