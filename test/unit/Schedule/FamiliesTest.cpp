// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

/// All families; a further one is tested without being named here.
std::vector<ScheduleFamily> allFamilies() {
  std::vector<ScheduleFamily> families;
  for (const ScheduleTraits &traits : allScheduleTraits())
    families.push_back(traits.family);
  return families;
}
const std::vector<ScheduleFamily> everyFamily = allFamilies();

Schedule make(ScheduleFamily family, PipelineShape shape, double share = 0) {
  std::string error;
  std::optional<Schedule> schedule = makeSchedule(family, shape, error, share);
  EXPECT_TRUE(schedule) << error;
  return schedule.value_or(Schedule());
}

/// One rank's list without stage numbers: `F0 F1 I0 W0`.
std::string listOf(const Schedule &schedule, size_t rank) {
  std::string text;
  for (const Step &step : schedule.ranks[rank])
    text += fmt::format("{}{}{}", text.empty() ? "" : " ",
                        nameOf(step.action.kind), step.action.microBatch);
  return text;
}

TEST(Families, OneForwardOneBackwardAlternates) {
  Schedule schedule = make(ScheduleFamily::OneForwardOneBackward, {4, 1, 6});
  EXPECT_EQ(listOf(schedule, 0), "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5");
  EXPECT_EQ(listOf(schedule, 1), "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  EXPECT_EQ(listOf(schedule, 3), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
}

TEST(Families, FewerMicroBatchesThanRanks) {
  Schedule schedule = make(ScheduleFamily::OneForwardOneBackward, {4, 1, 2});
  EXPECT_EQ(listOf(schedule, 0), "F0 F1 B0 B1");
  EXPECT_EQ(listOf(schedule, 3), "F0 B0 F1 B1");
}

TEST(Families, ZeroBubbleH1DelaysWeightGradients) {
  Schedule schedule = make(ScheduleFamily::ZeroBubbleH1, {4, 1, 5});
  EXPECT_EQ(listOf(schedule, 0),
            "F0 F1 F2 F3 I0 W0 F4 I1 W1 I2 W2 I3 W3 I4 W4");
  EXPECT_EQ(listOf(schedule, 2),
            "F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1 I4 W2 W3 W4");
  EXPECT_EQ(listOf(schedule, 3),
            "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 W2 W3 W4");
}

TEST(Families, InterleavedPassesRoundsThroughChunks) {
  Schedule schedule = make(ScheduleFamily::Interleaved, {2, 2, 4});
  auto text = [&](size_t rank) {
    std::string list;
    for (const Step &step : schedule.ranks[rank])
      list += str(step) + " ";
    return list;
  };
  EXPECT_EQ(text(1), "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 "
                     "1B2 1B3 ");
}

TEST(Families, EveryShapeReplays) {
  for (ScheduleFamily family : everyFamily)
    for (int64_t ranks = 1; ranks <= 9; ++ranks)
      for (int64_t virtualStages = 1; virtualStages <= 4; ++virtualStages)
        for (int64_t microBatches = 1; microBatches <= 40; ++microBatches) {
          PipelineShape shape{ranks, virtualStages, microBatches};
          if (!obstacle(family, shape).empty())
            continue;
          Schedule schedule = make(family, shape);
          SCOPED_TRACE(fmt::format("family {} p {} v {} M {}", int(family),
                                   ranks, virtualStages, microBatches));
          ASSERT_EQ(replay(schedule), std::vector<std::string>());
          Schedule complete = addCommunication(schedule, {true, true, true});
          ASSERT_EQ(replay(complete), std::vector<std::string>());
        }
}

TEST(Families, StagesAreWhereTheFamilyPutsThem) {
  for (ScheduleFamily family : everyFamily) {
    PipelineShape shape{4, 1, 8};
    if (!obstacle(family, shape).empty())
      shape.virtualStages = 2;
    std::vector<int64_t> owners = make(family, shape).rankOfStage();
    for (int64_t stage = 0; stage < shape.stageCount(); ++stage)
      EXPECT_EQ(owners[size_t(stage)], pipelineRankOf(family, 4, stage));
  }
}

TEST(Families, ZeroBubbleH2RunsFurtherAheadWhenTransfersAreSlow) {
  Schedule fast = make(ScheduleFamily::ZeroBubbleH2, {4, 1, 20}, 0);
  Schedule slow = make(ScheduleFamily::ZeroBubbleH2, {4, 1, 20}, 1);
  EXPECT_EQ(listOf(fast, 0).find("I0"), listOf(fast, 0).find("F7") - 3);
  EXPECT_EQ(listOf(slow, 0).find("I0"), listOf(slow, 0).find("F13") - 3);
  EXPECT_TRUE(replay(slow).empty());
}

/// The most activations of single stages that the rank holds at a time.
int64_t mostHeld(const Schedule &schedule, size_t rank) {
  int64_t held = 0, most = 0;
  auto run = [&](const Action &action) {
    if (action.kind == ActionKind::Forward)
      most = std::max(most, ++held);
    else if (action.kind == ActionKind::Backward ||
             action.kind == ActionKind::BackwardWeight)
      --held;
  };
  for (const Step &step : schedule.ranks[rank]) {
    run(step.action);
    if (step.partner)
      run(*step.partner);
  }
  EXPECT_EQ(held, 0);
  return most;
}

TEST(Families, TraitsSayWhatRanksHold) {
  for (const ScheduleTraits &traits : allScheduleTraits())
    for (int64_t ranks = 1; ranks <= 6; ++ranks)
      for (int64_t microBatches = 1; microBatches <= 24; ++microBatches) {
        PipelineShape shape{ranks, traits.stagesPerRank.value_or(3),
                            microBatches};
        if (!traits.canRun(ranks, microBatches))
          continue;
        ASSERT_EQ(obstacle(traits.family, shape), "");
        SCOPED_TRACE(
            fmt::format("{} p {} M {}", traits.name, ranks, microBatches));
        Schedule schedule = make(traits.family, shape);
        int64_t mostOfAll = 0, boundOfAll = 0;
        for (int64_t rank = 0; rank < ranks; ++rank) {
          int64_t bound =
              traits.inFlight({ranks, shape.virtualStages, microBatches}, rank);
          int64_t held = mostHeld(schedule, size_t(rank));
          EXPECT_LE(held, bound);
          mostOfAll = std::max(mostOfAll, held);
          boundOfAll = std::max(boundOfAll, bound);
        }
        if (microBatches >= 4 * ranks) {
          EXPECT_EQ(mostOfAll, boundOfAll);
        }
      }
}

TEST(Families, TraitsNameEveryFamily) {
  for (const ScheduleTraits &traits : allScheduleTraits()) {
    EXPECT_EQ(scheduleNamed(traits.name), traits.family);
    int64_t least = traits.leastMicroBatches(4);
    EXPECT_TRUE(traits.canRun(4, least));
    EXPECT_FALSE(traits.canRun(4, least - 1)) << traits.name;
    EXPECT_EQ(traits.gapsFilled(1, 8), 0);
  }
  EXPECT_EQ(scheduleNamed("2f2b"), std::nullopt);
}

TEST(Families, SaysWhyNot) {
  EXPECT_EQ(obstacle(ScheduleFamily::DualPipeV, {4, 2, 7}),
            "dualpipe-v on 4 ranks needs at least 8 micro-batches to fill its "
            "pipeline, got 7");
  EXPECT_EQ(obstacle(ScheduleFamily::ZeroBubbleV, {4, 2, 7}), "");
  EXPECT_EQ(obstacle(ScheduleFamily::ZeroBubbleV, {4, 1, 7}),
            "zb-v runs two stages per rank, not 1");
  EXPECT_EQ(obstacle(ScheduleFamily::GPipe, {4, 2, 7}),
            "gpipe runs one stage per rank, not 2");
  EXPECT_NE(obstacle(ScheduleFamily::GPipe, {0, 1, 7}), "");
  std::string error;
  EXPECT_FALSE(makeSchedule(ScheduleFamily::Interleaved,
                            {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX}, error));
  EXPECT_NE(error.find("too many to list"), std::string::npos) << error;
}

} // namespace
