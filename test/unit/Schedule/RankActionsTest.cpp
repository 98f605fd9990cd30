// SPDX-License-Identifier: Apache-2.0
//
// Lists of ranks are executed here by a machine of its own: ranks in any order,
// links that hold a bounded number of messages, and values that are looked at
// when they are received and read.

#include "shardsmith/Schedule/RankActions.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include "../FirstSeed.h"
#include "RandomTable.h"

#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace shardsmith;
using namespace shardsmith::schedule;
using namespace shardsmith::schedule::test;

namespace {

/// `activation 2 5`: that of stage 2, micro-batch 5.
std::string activation(int64_t stage, int64_t m) {
  return fmt::format("activation {} {}", stage, m);
}
std::string gradient(int64_t stage, int64_t m) {
  return fmt::format("gradient {} {}", stage, m);
}

class Machine {
public:
  Machine(const RankActions &lists, int64_t stages, ReceiveKind receives,
          size_t buffers)
      : lists(lists), stages(stages), receives(receives), buffers(buffers),
        standing(lists.size(), 0), values(lists.size()) {}

  /// Whether all lists end, whoever goes first.
  bool run(Random &random) {
    std::vector<size_t> stuck;
    while (stuck.size() < lists.size()) {
      size_t rank = below(random, lists.size());
      bool moved = standing[rank] < lists[rank].size() &&
                   execute(rank, lists[rank][standing[rank]]);
      if (moved) {
        ++standing[rank];
        stuck.clear();
      } else if (std::ranges::find(stuck, rank) == stuck.end()) {
        stuck.push_back(rank);
      }
    }
    for (size_t rank = 0; rank < lists.size(); ++rank)
      if (standing[rank] < lists[rank].size())
        return false;
    return true;
  }

private:
  struct Sent {
    std::string value;
    int64_t number;
  };
  struct Link {
    std::deque<Sent> messages;
    /// Numbers of receives that were posted before their message came.
    std::deque<int64_t> posted;
  };

  bool execute(size_t rank, const RankAction &entry) {
    const Action &action = entry.step.action;
    auto here = int64_t(rank);
    switch (action.kind) {
    case ActionKind::SendForward:
      return send({here, entry.message->peer}, *entry.message,
                  activation(action.stage, action.microBatch));
    case ActionKind::SendBackward:
      return send({here, entry.message->peer}, *entry.message,
                  gradient(action.stage, action.microBatch));
    case ActionKind::ReceiveForward:
      return receive({entry.message->peer, here}, *entry.message,
                     activation(action.stage - 1, action.microBatch));
    case ActionKind::ReceiveBackward:
      return receive({entry.message->peer, here}, *entry.message,
                     gradient(action.stage + 1, action.microBatch));
    default:
      EXPECT_FALSE(entry.message);
      return compute(rank, entry.step);
    }
  }

  bool send(std::pair<int64_t, int64_t> pair, MessageEnd end,
            const std::string &value) {
    EXPECT_TRUE(values[size_t(pair.first)].count(value)) << value;
    Link &link = links[pair];
    // A receive that is posted already has made room.
    if (!link.posted.empty()) {
      EXPECT_EQ(link.posted.front(), end.number);
      link.posted.pop_front();
      values[size_t(pair.second)].insert(value);
      return true;
    }
    if (link.messages.size() >= buffers)
      return false;
    link.messages.push_back({value, end.number});
    return true;
  }

  bool receive(std::pair<int64_t, int64_t> pair, MessageEnd end,
               const std::string &value) {
    Link &link = links[pair];
    if (link.messages.empty()) {
      if (receives == ReceiveKind::Blocking)
        return false;
      link.posted.push_back(end.number);
      return true;
    }
    Sent message = link.messages.front();
    link.messages.pop_front();
    EXPECT_EQ(message.value, value);
    EXPECT_EQ(message.number, end.number);
    values[size_t(pair.second)].insert(message.value);
    return true;
  }

  bool compute(size_t rank, const Step &step) {
    std::vector<Action> actions = {step.action};
    if (step.partner)
      actions.push_back(*step.partner);
    for (const Action &action : actions)
      if (!canRead(rank, action))
        return false;
    for (const Action &action : actions) {
      if (action.kind == ActionKind::Forward)
        values[rank].insert(activation(action.stage, action.microBatch));
      if (action.kind == ActionKind::Backward ||
          action.kind == ActionKind::BackwardInput)
        values[rank].insert(gradient(action.stage, action.microBatch));
    }
    return true;
  }

  bool canRead(size_t rank, const Action &action) const {
    auto has = [&](const std::string &value) {
      return values[rank].count(value) > 0;
    };
    auto [kind, stage, m] = action;
    switch (kind) {
    case ActionKind::Forward:
      return stage == 0 || has(activation(stage - 1, m));
    case ActionKind::Backward:
    case ActionKind::BackwardInput:
      return has(activation(stage, m)) &&
             (stage + 1 == stages || has(gradient(stage + 1, m)));
    case ActionKind::BackwardWeight:
      return has(gradient(stage, m));
    default:
      return true;
    }
  }

  const RankActions &lists;
  int64_t stages;
  ReceiveKind receives;
  size_t buffers;
  std::vector<size_t> standing;
  /// What each rank holds.
  std::vector<std::set<std::string>> values;
  std::map<std::pair<int64_t, int64_t>, Link> links;
};

RankActions listsOf(const Schedule &schedule) {
  std::string error;
  std::optional<RankActions> lists =
      rankActions(schedule, error, {true, true, true});
  EXPECT_TRUE(lists) << error;
  return lists.value_or(RankActions());
}

/// As many buffers as are said to be needed are enough, and one less is not.
void expectExact(const Schedule &schedule, ReceiveKind receives,
                 Random &random) {
  RankActions lists = listsOf(schedule);
  std::optional<int64_t> least = leastBuffers(lists, receives);
  ASSERT_TRUE(least) << toTable(schedule);
  auto ends = [&](int64_t buffers) {
    return Machine(lists, schedule.stageCount, receives, size_t(buffers))
        .run(random);
  };
  EXPECT_TRUE(ends(*least)) << toTable(schedule);
  if (*least > 1) {
    EXPECT_FALSE(ends(*least - 1)) << toTable(schedule);
  }
}

TEST(RankActions, MessagesAreNumberedPerDirection) {
  std::string error;
  auto schedule =
      scheduleFromTable("0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n", error);
  ASSERT_TRUE(schedule) << error;
  std::string text;
  for (const std::vector<RankAction> &list : listsOf(*schedule)) {
    for (const RankAction &action : list)
      text += action.message
                  ? fmt::format("{}/{}#{} ", str(action.step),
                                action.message->peer, action.message->number)
                  : str(action.step) + " ";
    text += "\n";
  }
  EXPECT_EQ(text, "0UNSHARD 0F0 0SEND_F0/1#0 0F1 0SEND_F1/1#1 0RECV_B0/1#0 "
                  "0B0 0RECV_B1/1#1 0B1 0RESHARD 0REDUCE_GRAD 0UPDATE \n"
                  "1RECV_F0/0#0 1UNSHARD 1F0 1B0 1SEND_B0/0#0 1RECV_F1/0#1 "
                  "1F1 1B1 1SEND_B1/0#1 1RESHARD 1REDUCE_GRAD 1UPDATE \n");
}

TEST(RankActions, FamiliesEnd) {
  Random random(shardsmith::test::firstSeed());
  for (const ScheduleTraits &traits : allScheduleTraits())
    for (int64_t ranks : {1, 2, 3, 4, 7})
      for (int64_t microBatches : {1, 4, 9, 14}) {
        PipelineShape shape{ranks, traits.stagesPerRank.value_or(3),
                            microBatches};
        std::string error;
        std::optional<Schedule> schedule =
            makeSchedule(traits.family, shape, error);
        if (!schedule)
          continue;
        for (ReceiveKind kind : {ReceiveKind::Blocking, ReceiveKind::Posted})
          expectExact(*schedule, kind, random);
      }
}

TEST(RankActions, RandomTablesEnd) {
  Random random(shardsmith::test::firstSeed());
  for (int i = 0; i < 1500; ++i) {
    Schedule schedule = randomCompute(random);
    for (ReceiveKind kind : {ReceiveKind::Blocking, ReceiveKind::Posted})
      expectExact(schedule, kind, random);
  }
}

TEST(RankActions, ReceivesThatAreWrittenFirstMustNotBlock) {
  std::string error;
  auto schedule = scheduleFromTable(
      "0RECV_B0,0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n", error);
  ASSERT_TRUE(schedule) << error;
  RankActions lists = listsOf(*schedule);
  EXPECT_EQ(leastBuffers(lists, ReceiveKind::Blocking), std::nullopt);
  EXPECT_EQ(leastBuffers(lists, ReceiveKind::Posted), 1);
}

TEST(RankActions, RefusesWhatWaitsForEver) {
  std::string error;
  auto schedule =
      scheduleFromTable("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n", error);
  ASSERT_TRUE(schedule);
  EXPECT_FALSE(rankActions(*schedule, error));
  EXPECT_EQ(error, "deadlock: rank 0 stands at 0B0, waiting for 1I0 on rank 1");
}

} // namespace
