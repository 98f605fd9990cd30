// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/ScheduleTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<std::string> replayTable(std::string_view table) {
  std::string error;
  std::optional<Schedule> schedule = scheduleFromTable(table, error);
  EXPECT_TRUE(schedule) << error;
  return schedule ? replay(*schedule) : std::vector<std::string>();
}

TEST(Replay, AcceptsASmallTable) {
  EXPECT_THAT(replayTable("0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n"),
              ElementsAre());
}

TEST(Replay, NamesTheRanksOfADeadlock) {
  // Both ranks want the other's result first.
  EXPECT_THAT(replayTable("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"),
              ElementsAre("deadlock: rank 0 stands at 0B0, waiting for 1I0 on "
                          "rank 1",
                          "deadlock: rank 1 stands at 1F1, waiting for 0F1 on "
                          "rank 0"));
}

TEST(Replay, CountsPasses) {
  EXPECT_THAT(replayTable("0F0,0F1,0B0\n,1F0,1B0,1F1,1B1\n"),
              Contains(HasSubstr("stage 0 runs micro-batch 1 1 × F, 0 × B")));
  EXPECT_THAT(replayTable("0F0,0F0,0B0\n"),
              Contains(HasSubstr("micro-batch 0 2 × F")));
  EXPECT_THAT(replayTable("0F0,0I0\n"), Contains(HasSubstr("0 × W")));
  EXPECT_THAT(replayTable("0F0,0B0,0W0\n"), Contains(HasSubstr("1 × W")));
}

TEST(Replay, AStageHasOneRank) {
  EXPECT_THAT(replayTable("0F0,0B0\n0F1,0B1\n"),
              Contains("stage 0 is on rank 0 and, with 0F1, on rank 1"));
}

TEST(Replay, WeightGradientsComeBehindInputGradients) {
  EXPECT_THAT(replayTable("0F0,0W0,0I0\n"),
              Contains("deadlock: rank 0 stands at 0W0, waiting for 0I0 on "
                       "rank 0"));
}

TEST(Replay, MessagesPairUp) {
  constexpr const char *fine = "0F0,0SEND_F0,0RECV_B0,0B0\n"
                               "1RECV_F0,1F0,1B0,1SEND_B0\n";
  EXPECT_THAT(replayTable(fine), ElementsAre());
  EXPECT_THAT(replayTable("0F0,0SEND_F0,0RECV_B0,0B0\n"
                          "1RECV_F0,1F0,1B0\n"),
              Contains("rank 0 waits to receive 1I0 from rank 1, which never "
                       "sends it"));
  EXPECT_THAT(replayTable("0F0,0SEND_F0,0SEND_F0,0RECV_B0,0B0\n"
                          "1RECV_F0,1F0,1B0,1SEND_B0\n"),
              ElementsAre("rank 0: 0F0 is sent a second time"));
  EXPECT_THAT(replayTable("0F0,0SEND_F0,0SEND_F0,0RECV_B0,0B0\n"
                          "1RECV_F0,1RECV_F0,1F0,1B0,1SEND_B0\n"),
              ElementsAre("rank 0: 0F0 is sent a second time",
                          "rank 1: 0F0 is received a second time"));
  EXPECT_THAT(replayTable("0F0,0SEND_F0,0RECV_B0,0B0\n"
                          "1F0,1B0,1SEND_B0\n"),
              Contains("0F0 is sent from rank 0 to rank 1 and never received"));
  EXPECT_THAT(replayTable("0SEND_F0,0F0,0RECV_B0,0B0\n"
                          "1RECV_F0,1F0,1B0,1SEND_B0\n"),
              Contains("deadlock: rank 0 stands at 0SEND_F0, waiting for 0F0 "
                       "on rank 0"));
}

TEST(Replay, ReceivesKeepTheOrderOfTheSends) {
  EXPECT_THAT(
      replayTable("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                  "1RECV_F1,1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"),
      Contains(HasSubstr("message 0 from rank 0 to rank 1 is 0F0 where it is "
                         "sent and 0F1 where it is received")));
}

TEST(Replay, ParametersAreGatheredWhereTheyAreUsed) {
  EXPECT_THAT(replayTable("0UNSHARD,0F0,0RESHARD,0B0,0REDUCE_GRAD\n"),
              ElementsAre("rank 0: 0B0 runs while the parameters of stage 0 "
                          "are not gathered"));
  EXPECT_THAT(replayTable("0F0,0REDUCE_GRAD,0B0\n"),
              Contains(HasSubstr("the last weight gradient of stage 0")));
}

TEST(Replay, ParametersAreGatheredAndFreedInTurns) {
  EXPECT_THAT(replayTable("0UNSHARD,0F0,0UNSHARD,0B0,0RESHARD\n"),
              ElementsAre("rank 0: 0UNSHARD gathers parameters that are "
                          "gathered already"));
  EXPECT_THAT(replayTable("0UNSHARD,0F0,0B0,0RESHARD,0RESHARD\n"),
              ElementsAre("rank 0: 0RESHARD frees parameters that are not "
                          "gathered"));
}

TEST(Replay, AllStagesReduceOrNone) {
  EXPECT_THAT(replayTable("0F0,1F0,1B0,1REDUCE_GRAD,0B0,0REDUCE_GRAD\n"),
              ElementsAre());
  EXPECT_THAT(replayTable("0F0,1F0,1B0,1REDUCE_GRAD,0B0\n"),
              ElementsAre("stage 0 never reduces its gradients, and others "
                          "do"));
}

/// What the first finding proposes.
std::string fixOf(std::string_view table) {
  std::string error;
  std::optional<Schedule> schedule = scheduleFromTable(table, error);
  EXPECT_TRUE(schedule) << error;
  std::vector<ReplayFinding> findings =
      findMistakes(schedule.value_or(Schedule()));
  EXPECT_FALSE(findings.empty()) << table;
  return findings.empty() ? "" : findings.front().fix;
}

TEST(Replay, ProposesTheSmallestFix) {
  EXPECT_EQ(fixOf("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"),
            "run 0F1 before 0B0 on rank 0");
  EXPECT_EQ(fixOf("0F0,0W0,0I0\n"), "run 0I0 before 0W0 on rank 0");
  EXPECT_EQ(fixOf("0F0,0F1,0B0\n"), "add 0B1 to rank 0");
  EXPECT_EQ(fixOf("0F0,0F1,0B0,0I1\n"), "add 0W1 to rank 0");
  EXPECT_EQ(fixOf("0F0,0F0,0B0\n"), "remove 0F0");
  EXPECT_EQ(fixOf("0F0,0B0,0W0\n"), "remove 0W0");
  EXPECT_EQ(fixOf("0F0,0B0\n0F1,0B1\n"), "move 0F1 to rank 0");
  EXPECT_EQ(fixOf("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1RECV_F0,1B0,1SEND_B0\n"),
            "run 1RECV_F0 before 1F0 on rank 1");
  EXPECT_EQ(fixOf("0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"),
            "add 0SEND_F0");
  EXPECT_EQ(fixOf("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1B0,1SEND_B0\n"),
            "add 1RECV_F0");
  EXPECT_EQ(fixOf("0F0,0REDUCE_GRAD,0B0\n"),
            "run 0REDUCE_GRAD behind the last weight gradient of stage 0");
}

TEST(Replay, FixesLeadOutOfCircles) {
  EXPECT_EQ(fixOf("0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n2F0,2F1,2B0,2B1\n"),
            "run 1F1 before 1B0 on rank 1");
  EXPECT_EQ(fixOf("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n2F0,2F1,2B0,2B1\n"),
            "run 0F1 before 0B0 on rank 0");
  EXPECT_THAT(replayTable("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n"
                          "2F0,2F1,2B0,2B1\n"),
              ElementsAre());
}

TEST(Replay, LimitsWhatItSays) {
  std::string error;
  std::optional<Schedule> schedule =
      makeSchedule(ScheduleFamily::GPipe, {2, 1, 100}, error);
  ASSERT_TRUE(schedule);
  schedule->ranks[1].clear();
  EXPECT_EQ(replay(*schedule, 5).size(), 5u);
}

} // namespace
