// SPDX-License-Identifier: Apache-2.0

#include "SamplePlan.h"

#include "shardsmith/PlanFiles/PlanReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::test;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(PlanReport, AmountsHaveUnitsAndThreeDigits) {
  EXPECT_EQ(describeTime(Nanoseconds(1'250'000'000)), "1.250 s");
  EXPECT_EQ(describeTime(Nanoseconds(-12'500'000)), "-12.50 ms");
  EXPECT_EQ(describeTime(Nanoseconds(850)), "850 ns");
  EXPECT_EQ(describeTime(Nanoseconds::saturated()), "too long");
  EXPECT_EQ(describeBytes(Bytes(1536)), "1.50 KiB");
  EXPECT_EQ(describeBytes(Bytes(12)), "12 B");
  EXPECT_EQ(describeCount(8'030'261'248), "8.03 B");
  EXPECT_EQ(describeCount(124'439'808), "124 M");
  EXPECT_EQ(describeCount(999'600), "1.00 M");
  EXPECT_EQ(describeCount(768), "768");
}

TEST(PlanReport, SpellsOutTheArithmetic) {
  Strategy strategy = makeStrategy();
  EXPECT_EQ(describeDegrees(strategy), "16 = tensor 4 × data 2 × pipeline 2");
  EXPECT_EQ(describeDegrees(Strategy()), "1 device");
  strategy.expert = 2;
  EXPECT_THAT(describeDegrees(strategy), HasSubstr(", expert 2"));
  EXPECT_EQ(describeRecompute(strategy),
            "full in 5 of 12, selective in 5 of 12");
  EXPECT_EQ(describeSchedule(strategy), "1f1b");
  EXPECT_EQ(describeSchedule(Strategy()), "-");
  EXPECT_EQ(describeZero(strategy), "1");
  strategy.zeroStage = 3;
  strategy.zeroGroup = 1;
  EXPECT_EQ(describeZero(strategy), "3 in groups of 1");
}

TEST(PlanReport, ColumnsLineUpWhateverTheBytes) {
  EXPECT_EQ(describeTable({{"a", "b ", "c"}, {"1", "× 2", "33"}}),
            "a  b     c\n1  × 2  33\n");
}

TEST(PlanReport, PlanSaysEverythingThatMatters) {
  std::string text = describePlan(makeDocument());
  EXPECT_THAT(text, HasSubstr("sample on 2x8xh100"));
  EXPECT_THAT(text, HasSubstr("16 = tensor 4 × data 2 × pipeline 2"));
  EXPECT_THAT(text, HasSubstr("2 is not first: too much memory"));
  EXPECT_THAT(text, HasSubstr("step 1.250 s, likely 1.075 s to 1.425 s"));
  EXPECT_THAT(text, HasSubstr("tensor communication"));
  EXPECT_THAT(text, Not(HasSubstr("context communication")));
  EXPECT_THAT(text, HasSubstr("24.00 GiB of 72.00 GiB usable, 48.00 GiB free"));
  EXPECT_THAT(text, HasSubstr("gap 4.17 %"));
  EXPECT_THAT(text, HasSubstr("fix=tensor=4"));
  EXPECT_THAT(text, HasSubstr("calibrated"));
  EXPECT_THAT(text, Not(HasSubstr("idle")));
}

TEST(PlanReport, IdleDevicesAreSaidLoudly) {
  PlanDocument document = makeDocument();
  document.pools = {{"h100", 17}};
  EXPECT_THAT(describePlan(document), HasSubstr("1 of 17 devices stay idle"));
}

TEST(PlanReport, KindsOfDeviceAreNamed) {
  PlanDocument document = makeDocument();
  EXPECT_EQ(describePlacement(document), "");
  document.pools = {{"h100", 8}, {"a100", 16}};
  Strategy &strategy = document.strategy;
  strategy = {};
  strategy.tensor = 2;
  strategy.pipeline = 3;
  for (unsigned pool : {1, 1, 0})
    strategy.stages.push_back(
        {pool * int64_t(2), pool * int64_t(2) + 2 + pool, {}, pool});
  EXPECT_EQ(describePlacement(document),
            "kinds of device\n"
            "  kind  devices  pipeline ranks  units\n"
            "  a100  4 of 16          0 to 1      6\n"
            "  h100   2 of 8               2      2\n");
  strategy.pipeline = 1;
  strategy.stages.resize(1);
  strategy.data = 7;
  strategy.microBatch = 3;
  strategy.dataShares = {{0, 4, 9}, {1, 2, 5}, {1, 1, 4}};
  EXPECT_EQ(describePlacement(document),
            "kinds of device\n"
            "  kind  devices  data ranks  micro-batches\n"
            "  h100   8 of 8      0 to 3          9 x 3\n"
            "  a100  4 of 16      4 to 5          5 x 3\n"
            "  a100  2 of 16           6          4 x 3\n");
  // Read from a file that names what its cluster does not have.
  strategy.dataShares = {{7, 7, 1}};
  EXPECT_THAT(describePlacement(document), HasSubstr("pool 7  14 of ?"));
}

TEST(PlanReport, ReasonsNameTheLargestDifference) {
  StepEstimate chosen = makeEstimate(1'000'000'000, 0);
  StepEstimate slower = makeEstimate(1'100'000'000, 0);
  slower.time.tensor = Nanoseconds(190'000'000);
  EXPECT_EQ(whyNot(chosen, slower),
            "compute +100.00 ms, tensor communication -10.00 ms");
  EXPECT_EQ(whyNot(chosen, chosen), "as fast");
  StepEstimate full = makeEstimate(1, int64_t(69) << 30);
  EXPECT_EQ(whyNot(chosen, full),
            "does not fit: 73.00 GiB of 72.00 GiB usable, 1.00 GiB too much");
}

TEST(PlanReport, DifferenceShowsDecisionsAndItems) {
  PlanDocument first = makeDocument(), second = makeDocument();
  EXPECT_THAT(describeDifference(first, second),
              HasSubstr("the decisions are the same"));
  second.strategy.microBatch = 4;
  second.layouts[0].ops[0].split = "";
  second.estimate = makeEstimate(1'500'000'000, int64_t(30) << 30);
  std::string text = describeDifference(first, second);
  EXPECT_THAT(text, HasSubstr("micro-batch"));
  EXPECT_THAT(text, HasSubstr("layer / up: split column -> -"));
  EXPECT_THAT(text, HasSubstr("+500.00 ms"));
  EXPECT_THAT(text, HasSubstr("+10.00 GiB"));
}

} // namespace
