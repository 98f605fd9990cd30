// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Schedule/Families.h"

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

} // namespace
