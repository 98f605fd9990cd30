// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/TableCheck.h"

#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

std::string errorOf(std::string_view table) {
  std::string error;
  EXPECT_FALSE(scheduleFromTable(table, error));
  return error;
}

TEST(ScheduleTable, DrawsComputeOnlySchedules) {
  std::string error;
  auto schedule =
      makeSchedule(ScheduleFamily::OneForwardOneBackward, {2, 1, 3}, error);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(toTable(*schedule), "0F0,0F1,,0B0,0F2,0B1,,0B2\n"
                                ",1F0,1B0,1F1,1B1,1F2,1B2,\n");
}

TEST(ScheduleTable, SurvivesARoundTrip) {
  std::string error;
  for (auto [family, virtualStages] :
       {std::pair(ScheduleFamily::ZeroBubbleH2, 1),
        std::pair(ScheduleFamily::Interleaved, 3),
        std::pair(ScheduleFamily::DualPipeV, 2)}) {
    auto schedule = makeSchedule(family, {4, virtualStages, 9}, error);
    ASSERT_TRUE(schedule) << error;
    for (const Schedule &each :
         {*schedule, addCommunication(*schedule, {true, true, false})}) {
      auto again = scheduleFromTable(toTable(each), error);
      ASSERT_TRUE(again) << error;
      EXPECT_EQ(*again, each);
    }
  }
}

TEST(ScheduleTable, ReadsOverlappedPairsAndBlanks) {
  std::string error;
  auto schedule =
      scheduleFromTable(" 0F0 , (1F0;0B0)OVERLAP_F_B ,1B0\r\n", error);
  ASSERT_TRUE(schedule) << error;
  ASSERT_EQ(schedule->ranks.front().size(), 3u);
  EXPECT_EQ(str(schedule->ranks.front()[1]), "(1F0;0B0)OVERLAP_F_B");
}

TEST(ScheduleTable, LocatesWhatIsWrong) {
  EXPECT_EQ(errorOf("0F0,0F1\n1F0,1X1\n"),
            "line 2, cell 2: expected an action such as 0F3, 2SEND_B1, "
            "1UNSHARD or (0F4;3B1)OVERLAP_F_B, got '1X1'");
  EXPECT_EQ(errorOf("\n").substr(0, 27), "line 1: the table is empty;");
  for (const char *text : {",,\n", "0UNSHARD,\n,,\n"})
    EXPECT_EQ(errorOf(text).substr(0, 37),
              "line 1: the table runs no micro-batch");
  for (const char *cell :
       {"F0", "0F", "0F-1", "-1F0", "0F0x", "0UNSHARD3", "(0F0;1B0)",
        "(0B0;1F0)OVERLAP_F_B", "(0F0)OVERLAP_F_B", "()OVERLAP_F_B",
        "(;)OVERLAP_F_B", "0F99999999999999999999", "("})
    EXPECT_NE(errorOf(cell).find("line 1, cell 1"), std::string::npos) << cell;
}

TEST(ScheduleTable, RefusesNumbersFarBeyondTheCells) {
  EXPECT_EQ(errorOf("0F0,16000000B0\n"),
            "the table names stage 16000000 and micro-batch 0 but has only 2 "
            "cells; every stage runs every micro-batch");
}

TEST(ScheduleTable, ReadsWhatSpreadsheetsWrite) {
  std::string error;
  auto schedule = scheduleFromTable(
      "\xEF\xBB\xBF\"0F0\",\"0B0\", \r\n,\"\",1F0,1B0\r\n\r\n", error);
  ASSERT_TRUE(schedule) << error;
  EXPECT_EQ(toTable(*schedule), "0F0,,,0B0\n,1F0,1B0,\n");
}

std::string mistakeOf(std::string_view text, const ExpectedPipeline &expected) {
  std::string error;
  std::optional<ScheduleTable> table = readTable(text, error);
  EXPECT_TRUE(table) << error;
  return table ? checkTable(*table, expected) : error;
}

/// Two ranks and stages, two micro-batches, three units.
constexpr int64_t two = 2;
const ExpectedPipeline pair = {two, two, two, 3, {}};

TEST(TableCheck, AcceptsWhatReplays) {
  EXPECT_EQ(mistakeOf("0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n", pair), "");
  // Any order, and any rank for a stage, unless that is settled.
  constexpr const char *turned = "1F1,1F0,1I1,1W1,1B0\n0F1,0F0,0B1,0I0,0W0\n";
  EXPECT_EQ(mistakeOf(turned, pair), "");
  ExpectedPipeline settled = pair;
  settled.rankOfStage = {0, 1};
  EXPECT_EQ(mistakeOf(turned, settled),
            "line 1, cell 1: 1F1 is on rank 0; expected stage 1 on rank 1, "
            "whose devices it was cut for: move it to line 2");
}

TEST(TableCheck, CountsLines) {
  EXPECT_EQ(mistakeOf("0F0,0B0\n", pair),
            "line 2: the table ends after 1 line, one per pipeline rank; "
            "expected 2: add the other ranks, or plan with pp=1");
  EXPECT_EQ(mistakeOf("0F0,0B0\n1F0,1B0\n2F0,2B0\n", pair),
            "line 3: the table has 3 lines, one per pipeline rank; expected "
            "2: remove what is behind line 2, or plan with pp=3");
}

TEST(TableCheck, CountsStages) {
  EXPECT_EQ(mistakeOf("0F0,0F1,0B0,0B1\n,,,\n", pair),
            "no line runs stage 1; expected stages 0 to 1: add 1F0, 1B0 and "
            "those of other micro-batches to a line");
  EXPECT_EQ(mistakeOf("0F0,,2F0\n1F0,1B0\n", pair),
            "line 1, cell 3: 2F0 is of stage 2; expected stages 0 to 1: "
            "remove stages 2 and above, or plan with 2 stages per rank");
  EXPECT_EQ(mistakeOf("0F0,2F0\n1F0,3B0\n", pair),
            "line 1, cell 2: 2F0 is of stage 2, and the model has 3 units, "
            "each of them in one stage; expected stages 0 to 1: remove stages "
            "2 and above");
}

TEST(TableCheck, CountsMicroBatches) {
  EXPECT_EQ(mistakeOf("0F0,0B0\n1F0,1B0\n", pair),
            "no line runs micro-batch 1; expected micro-batches 0 to 1: add "
            "0F1, 0B1 and those of other stages");
  EXPECT_EQ(mistakeOf("0F0,0B0\n1F0,1B0,1F2\n", pair),
            "line 2, cell 3: 1F2 is of micro-batch 2; expected micro-batches "
            "0 to 1: remove micro-batches 2 and above");
}

TEST(TableCheck, SaysWhereAndWhatToChange) {
  EXPECT_EQ(mistakeOf("0F0,0B0,,0F1,0B1\n1F0,1F1,1B0,1B1\n", pair),
            "line 1, cell 2: deadlock: rank 0 stands at 0B0, waiting for 1I0 "
            "on rank 1: run 0F1 before 0B0 on rank 0");
  EXPECT_EQ(mistakeOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1,1F0\n", pair),
            "line 2, cell 5: stage 1 runs micro-batch 0 2 × F, 1 × B, 0 × I, "
            "0 × W; it must run F once, and once either B or I and W: remove "
            "1F0");
  EXPECT_EQ(mistakeOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n", pair),
            "stage 1 runs micro-batch 1 1 × F, 0 × B, 0 × I, 0 × W; it must "
            "run F once, and once either B or I and W: add 1B1 to rank 1");
}

} // namespace
