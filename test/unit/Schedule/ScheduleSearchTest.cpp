// SPDX-License-Identifier: Apache-2.0
//
// Searched schedules against all schedules there are, on pipelines that are
// small enough to write all of them down.

#include "shardsmith/Schedule/ScheduleSearch.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"

#include "../FirstSeed.h"
#include "RandomProblem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace shardsmith;
using namespace shardsmith::schedule;
using namespace shardsmith::schedule::test;
using Random = std::mt19937_64;

namespace {

/// The schedule as everybody else plays it; nothing if it does not fit.
std::optional<Nanoseconds> periodOf(const PipelineProblem &problem,
                                    const Schedule &schedule) {
  std::string error;
  auto played = simulate(addCommunication(schedule, {false, true, true}),
                         problem.stages, error, problem.simulation);
  EXPECT_TRUE(played) << error;
  if (!played)
    return std::nullopt;
  for (size_t rank = 0; rank < problem.memoryLimits.size(); ++rank)
    if (played->ranks[rank].peakMemory > problem.memoryLimits[rank])
      return std::nullopt;
  return played->period();
}

// ---------------------------------------------------------------------------
// All schedules
// ---------------------------------------------------------------------------

/// Every list that a rank with these stages may have: the passes of each stage
/// and micro-batch in order, all else anyhow.
class AllLists {
public:
  /// With `inOrder` micro-batches of each kind of pass are in order: of lists
  /// that differ by the numbers of micro-batches alone there is then one.
  AllLists(std::vector<int64_t> stages, int64_t microBatches,
           std::vector<ActionKind> kinds, bool inOrder)
      : stages(std::move(stages)), microBatches(microBatches),
        kinds(std::move(kinds)), inOrder(inOrder),
        done(this->stages.size(), std::vector<size_t>(size_t(microBatches))) {
    extend();
  }

  std::vector<std::vector<Step>> take() { return std::move(all); }

private:
  void extend() {
    bool isComplete = true;
    for (size_t stage = 0; stage < stages.size(); ++stage)
      for (size_t m = 0; m < size_t(microBatches); ++m) {
        size_t kind = done[stage][m];
        if (kind == kinds.size())
          continue;
        isComplete = false;
        bool overtakes = m > 0 && done[stage][m - 1] <= kind;
        if (inOrder && overtakes)
          continue;
        list.push_back({{kinds[kind], stages[stage], int64_t(m)}, {}});
        ++done[stage][m];
        extend();
        --done[stage][m];
        list.pop_back();
      }
    if (isComplete)
      all.push_back(list);
  }

  std::vector<int64_t> stages;
  int64_t microBatches;
  std::vector<ActionKind> kinds;
  bool inOrder;
  /// Passes of each stage and micro-batch that are on the list.
  std::vector<std::vector<size_t>> done;
  std::vector<Step> list;
  std::vector<std::vector<Step>> all;
};

/// The best of all combinations of lists.
std::optional<Nanoseconds> bestOfAll(const PipelineProblem &problem,
                                     bool inOrder, bool splitsBackward = true) {
  std::vector<ActionKind> kinds = {ActionKind::Forward, ActionKind::Backward};
  if (splitsBackward)
    kinds = {ActionKind::Forward, ActionKind::BackwardInput,
             ActionKind::BackwardWeight};
  std::vector<std::vector<std::vector<Step>>> lists;
  for (int64_t rank = 0; rank < problem.ranks; ++rank) {
    std::vector<int64_t> stages;
    for (size_t stage = 0; stage < problem.stages.size(); ++stage)
      if (problem.rankOfStage[stage] == rank)
        stages.push_back(int64_t(stage));
    lists.push_back(
        AllLists(stages, problem.microBatches, kinds, inOrder).take());
  }
  std::vector<size_t> chosen(lists.size(), 0);
  std::optional<Nanoseconds> best;
  for (;;) {
    Schedule schedule;
    schedule.stageCount = int64_t(problem.stages.size());
    schedule.microBatchCount = problem.microBatches;
    for (size_t rank = 0; rank < lists.size(); ++rank)
      schedule.ranks.push_back(lists[rank][chosen[rank]]);
    if (replay(schedule, 1).empty())
      if (auto period = periodOf(problem, schedule))
        best = std::min(best.value_or(*period), *period);
    size_t rank = 0;
    while (rank < lists.size() && ++chosen[rank] == lists[rank].size())
      chosen[rank++] = 0;
    if (rank == lists.size())
      return best;
  }
}

FoundSchedule searched(const PipelineProblem &problem,
                       const ScheduleSearchOptions &options = {}) {
  std::string error;
  std::optional<FoundSchedule> found = searchSchedule(problem, error, options);
  EXPECT_TRUE(found) << error;
  return found.value_or(FoundSchedule());
}

/// What holds of every result.
void expectSound(const PipelineProblem &problem, const FoundSchedule &found) {
  EXPECT_EQ(replay(found.schedule), std::vector<std::string>());
  EXPECT_EQ(found.schedule.rankOfStage(), problem.rankOfStage);
  EXPECT_EQ(periodOf(problem, found.schedule), found.period);
  EXPECT_GE(found.period, found.lowerBound);
  for (const FamilyPeriod &family : found.families)
    EXPECT_LE(found.period, family.period) << nameOf(family.family);
}

TEST(ScheduleSearch, OrderOfMicroBatchesDoesNotMatter) {
  Random random(shardsmith::test::firstSeed());
  for (int i = 0; i < 4; ++i) {
    PipelineProblem problem = randomProblem(random, 2, 2, 2, 10);
    problem.memoryLimits = randomLimits(random, problem);
    EXPECT_EQ(bestOfAll(problem, false), bestOfAll(problem, true));
  }
}

/// How often the search finds what is best of all, and how far it is off.
struct Record {
  int problems = 0, optimal = 0;
  double worst = 1;

  void compare(const PipelineProblem &problem, bool splitsBackward) {
    ScheduleSearchOptions options;
    options.effort = 1 << 20;
    options.splitsBackward = splitsBackward;
    // Those that are written down have no pairs.
    options.pairsPasses = false;
    FoundSchedule found = searched(problem, options);
    expectSound(problem, found);
    std::optional<Nanoseconds> best = bestOfAll(problem, true, splitsBackward);
    ASSERT_TRUE(best);
    ASSERT_GE(found.period, *best);
    ++problems;
    optimal += found.period == *best;
    worst =
        std::max(worst, double(found.period.count()) / double(best->count()));
  }
  void expectGood() const {
    fmt::print("{} of {} optimal, at most {:.4f} of the optimum\n", optimal,
               problems, worst);
    EXPECT_GE(optimal * 10, problems * 9);
    EXPECT_LE(worst, 1.1);
  }
};

TEST(ScheduleSearch, FindsTheBestOfAllSchedules) {
  Random random(shardsmith::test::firstSeed());
  Record record;
  for (auto [ranks, microBatches, repeat] :
       {std::array{2, 2, 20}, {2, 3, 20}, {3, 2, 20}, {4, 2, 6}, {3, 3, 1}})
    for (int i = 0; i < repeat; ++i) {
      PipelineProblem problem =
          randomProblem(random, ranks, ranks, microBatches, 10);
      if (i % 2 > 0)
        problem.memoryLimits = randomLimits(random, problem);
      record.compare(problem, true);
    }
  record.expectGood();
}

TEST(ScheduleSearch, FindsTheBestWithTwoStagesPerRank) {
  Random random(shardsmith::test::firstSeed());
  Record record;
  for (int i = 0; i < 6; ++i) {
    PipelineProblem problem = randomProblem(random, 2, 4, 2, 10);
    if (i % 2 > 0)
      placeInVShape(problem);
    if (i % 3 > 0)
      problem.memoryLimits = randomLimits(random, problem);
    record.compare(problem, false);
  }
  record.expectGood();
}

TEST(ScheduleSearch, IsNeverWorseThanAFamily) {
  Random random(shardsmith::test::firstSeed());
  ScheduleSearchOptions options;
  options.effort = 1 << 18;
  for (int i = 0; i < 60; ++i) {
    int64_t ranks = between(random, 1, 6);
    int64_t perRank = between(random, 1, 3);
    PipelineProblem problem =
        randomProblem(random, ranks, ranks * perRank, between(random, 1, 16),
                      between(random, 1, 10));
    problem.simulation.overlapSlowdown =
        1 + double(between(random, 0, 3)) * 0.1;
    if (i % 3 == 1)
      placeInVShape(problem);
    if (i % 2 > 0)
      problem.memoryLimits = randomLimits(random, problem);
    options.splitsBackward = i % 5 > 0;
    options.pairsPasses = i % 7 > 0;
    options.seed = random();
    FoundSchedule found = searched(problem, options);
    expectSound(problem, found);
    if (problem.memoryLimits.empty() && perRank == 1) {
      EXPECT_GE(found.families.size(), options.splitsBackward ? 5u : 3u);
    }
    for (const auto &steps : found.schedule.ranks)
      for (const Step &step : steps)
        EXPECT_TRUE(options.splitsBackward ||
                    (step.action.kind != ActionKind::BackwardInput &&
                     step.action.kind != ActionKind::BackwardWeight));
    for (const auto &steps : found.schedule.ranks)
      for (const Step &step : steps)
        EXPECT_TRUE(options.pairsPasses || !step.partner);
  }
}

TEST(ScheduleSearch, AnswersTheSameQuestionAlike) {
  Random random(shardsmith::test::firstSeed());
  PipelineProblem problem = randomProblem(random, 4, 4, 8, 5);
  ScheduleSearchOptions options;
  options.effort = 1 << 18;
  EXPECT_EQ(searched(problem, options).schedule,
            searched(problem, options).schedule);
}

TEST(ScheduleSearch, StagesNeedNotBeSpreadEvenly) {
  Random random(shardsmith::test::firstSeed());
  PipelineProblem problem = randomProblem(random, 3, 5, 6, 5);
  problem.rankOfStage = {1, 0, 0, 2, 1};
  problem.memoryLimits = randomLimits(random, problem);
  FoundSchedule found = searched(problem);
  expectSound(problem, found);
  EXPECT_TRUE(found.families.empty());
}

/// Two stages per rank that talk as long as they compute: pairs hide up to a
/// half, which no schedule without pairs can.
TEST(ScheduleSearch, PairsPassesThatHideCommunication) {
  PipelineProblem problem;
  problem.ranks = 2;
  problem.microBatches = 8;
  StageDurations stage;
  stage.forward = stage.backwardInput = stage.backwardWeight = Nanoseconds(100);
  stage.forwardCommunication = Nanoseconds(100);
  stage.backwardCommunication = Nanoseconds(200);
  problem.stages.assign(4, stage);
  problem.rankOfStage = {0, 1, 0, 1};
  ScheduleSearchOptions options;
  FoundSchedule with = searched(problem, options);
  expectSound(problem, with);
  options.pairsPasses = false;
  FoundSchedule without = searched(problem, options);
  expectSound(problem, without);
  // Sixteen passes forward and back, each with all its communication.
  EXPECT_GE(without.period, Nanoseconds(16 * 600));
  EXPECT_LT(with.period, Nanoseconds(16 * 500));
}

TEST(ScheduleSearch, SaysWhatCannotBe) {
  Random random(shardsmith::test::firstSeed());
  std::string error;
  PipelineProblem problem = randomProblem(random, 2, 2, 4, 5);
  for (StageDurations &stage : problem.stages) {
    stage.savedUntilWeight = Bytes(100);
    stage.savedUntilInput = {};
  }
  problem.memoryLimits = {Bytes(100), Bytes(99)};
  EXPECT_FALSE(searchSchedule(problem, error));
  EXPECT_EQ(error, "no order of passes fits: the stages of rank 1 save 100 "
                   "bytes per micro-batch, and there is room for 99");
  problem.memoryLimits = {Bytes(100), Bytes(100)};
  expectSound(problem, searched(problem));
  problem.memoryLimits.pop_back();
  EXPECT_FALSE(searchSchedule(problem, error));
  problem.memoryLimits.clear();
  problem.rankOfStage = {0, 2};
  EXPECT_FALSE(searchSchedule(problem, error));
  EXPECT_EQ(error, "2 stages need as many ranks from 0 to 1");
  problem.rankOfStage = {0, 1};
  problem.microBatches = INT64_MAX / 2;
  EXPECT_FALSE(searchSchedule(problem, error));
  problem.microBatches = 4;
  problem.simulation.overlapSlowdown = 0.5;
  EXPECT_FALSE(searchSchedule(problem, error));
  problem.simulation.overlapSlowdown = 1;
  problem.stages[0].forward = Nanoseconds(-1);
  EXPECT_FALSE(searchSchedule(problem, error));
}

} // namespace
