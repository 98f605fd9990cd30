// SPDX-License-Identifier: Apache-2.0
//
// Searched schedules against all schedules there are, on pipelines that are
// small enough to write all of them down.

#include "shardsmith/Schedule/ScheduleSearch.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"

#include "../FirstSeed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

using Random = std::mt19937_64;

int64_t between(Random &random, int64_t least, int64_t most) {
  return std::uniform_int_distribution(least, most)(random);
}

/// Stages whose times differ by up to `spread`, each on a rank of its own in
/// turns.
PipelineProblem randomProblem(Random &random, int64_t ranks, int64_t stages,
                              int64_t microBatches, int64_t spread) {
  PipelineProblem problem;
  problem.ranks = ranks;
  problem.microBatches = microBatches;
  for (int64_t stage = 0; stage < stages; ++stage) {
    StageDurations each;
    auto time = [&] { return Nanoseconds(between(random, 10, 10 * spread)); };
    each.forward = time();
    each.backwardInput = time();
    each.backwardWeight = time();
    each.sendForward = Nanoseconds(between(random, 0, 20));
    each.sendBackward = each.sendForward;
    each.reduce = Nanoseconds(between(random, 0, 20));
    each.update = Nanoseconds(between(random, 0, 20));
    each.savedUntilWeight = Bytes(between(random, 50, 100));
    each.savedUntilInput = Bytes(between(random, 0, 50));
    problem.stages.push_back(each);
    problem.rankOfStage.push_back(stage % ranks);
  }
  return problem;
}

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

/// Every list that a rank with one stage may have, its passes in any order that
/// keeps F(m) < I(m) < W(m). With `inOrder` micro-batches of each kind are in
/// order; there is then one list for all that differ by their numbers alone.
void listsOf(int64_t stage, int64_t microBatches, bool inOrder,
             std::vector<Step> &list, std::vector<int> &next,
             std::vector<std::vector<Step>> &all) {
  constexpr std::array kinds = {ActionKind::Forward, ActionKind::BackwardInput,
                                ActionKind::BackwardWeight};
  if (int64_t(list.size()) == 3 * microBatches) {
    all.push_back(list);
    return;
  }
  for (int64_t m = 0; m < microBatches; ++m) {
    int kind = next[size_t(m)];
    if (kind == 3)
      continue;
    // The one before must be further.
    if (inOrder && m > 0 && next[size_t(m - 1)] <= kind)
      continue;
    list.push_back({{kinds[size_t(kind)], stage, m}, {}});
    ++next[size_t(m)];
    listsOf(stage, microBatches, inOrder, list, next, all);
    --next[size_t(m)];
    list.pop_back();
  }
}

std::vector<std::vector<Step>> listsOf(int64_t stage, int64_t microBatches,
                                       bool inOrder) {
  std::vector<Step> list;
  std::vector<int> next(size_t(microBatches), 0);
  std::vector<std::vector<Step>> all;
  listsOf(stage, microBatches, inOrder, list, next, all);
  return all;
}

/// The best of all combinations of lists, one stage per rank.
std::optional<Nanoseconds> bestOfAll(const PipelineProblem &problem,
                                     bool inOrder) {
  std::vector<std::vector<std::vector<Step>>> lists;
  for (int64_t stage = 0; stage < problem.ranks; ++stage)
    lists.push_back(listsOf(stage, problem.microBatches, inOrder));
  std::vector<size_t> chosen(lists.size(), 0);
  std::optional<Nanoseconds> best;
  for (;;) {
    Schedule schedule;
    schedule.stageCount = problem.ranks;
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

/// Rooms between that of one micro-batch and that of all.
std::vector<Bytes> randomLimits(Random &random,
                                const PipelineProblem &problem) {
  std::vector<Bytes> limits(static_cast<size_t>(problem.ranks));
  for (size_t stage = 0; stage < problem.stages.size(); ++stage)
    limits[size_t(problem.rankOfStage[stage])] +=
        problem.stages[stage].savedUntilInput +
        problem.stages[stage].savedUntilWeight;
  for (Bytes &limit : limits)
    limit = Bytes(limit.count() *
                  between(random, 100, 100 * problem.microBatches) / 100);
  return limits;
}

TEST(ScheduleSearch, OrderOfMicroBatchesDoesNotMatter) {
  Random random(test::firstSeed());
  for (int i = 0; i < 4; ++i) {
    PipelineProblem problem = randomProblem(random, 2, 2, 2, 10);
    problem.memoryLimits = randomLimits(random, problem);
    EXPECT_EQ(bestOfAll(problem, false), bestOfAll(problem, true));
  }
}

TEST(ScheduleSearch, FindsTheBestOfAllSchedules) {
  Random random(test::firstSeed());
  ScheduleSearchOptions options;
  options.effort = 1 << 20;
  int problems = 0, optimal = 0;
  double worst = 1;
  for (auto [ranks, microBatches, repeat] :
       {std::array{2, 2, 20}, {2, 3, 20}, {3, 2, 20}, {4, 2, 6}, {3, 3, 1}})
    for (int i = 0; i < repeat; ++i) {
      PipelineProblem problem =
          randomProblem(random, ranks, ranks, microBatches, 10);
      if (i % 2 > 0)
        problem.memoryLimits = randomLimits(random, problem);
      FoundSchedule found = searched(problem, options);
      expectSound(problem, found);
      std::optional<Nanoseconds> best = bestOfAll(problem, true);
      ASSERT_TRUE(best);
      ASSERT_GE(found.period, *best);
      ++problems;
      optimal += found.period == *best;
      worst =
          std::max(worst, double(found.period.count()) / double(best->count()));
    }
  fmt::print("{} of {} optimal, at most {:.4f} of the optimum\n", optimal,
             problems, worst);
  EXPECT_GE(optimal * 10, problems * 9);
  EXPECT_LE(worst, 1.1);
}

TEST(ScheduleSearch, IsNeverWorseThanAFamily) {
  Random random(test::firstSeed());
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
      for (int64_t stage = 0; stage < ranks * perRank; ++stage)
        problem.rankOfStage[size_t(stage)] =
            (stage / ranks) % 2 > 0 ? ranks - 1 - stage % ranks : stage % ranks;
    if (i % 2 > 0)
      problem.memoryLimits = randomLimits(random, problem);
    options.splitsBackward = i % 5 > 0;
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
  }
}

TEST(ScheduleSearch, AnswersTheSameQuestionAlike) {
  Random random(test::firstSeed());
  PipelineProblem problem = randomProblem(random, 4, 4, 8, 5);
  ScheduleSearchOptions options;
  options.effort = 1 << 18;
  EXPECT_EQ(searched(problem, options).schedule,
            searched(problem, options).schedule);
}

TEST(ScheduleSearch, StagesNeedNotBeSpreadEvenly) {
  Random random(test::firstSeed());
  PipelineProblem problem = randomProblem(random, 3, 5, 6, 5);
  problem.rankOfStage = {1, 0, 0, 2, 1};
  problem.memoryLimits = randomLimits(random, problem);
  FoundSchedule found = searched(problem);
  expectSound(problem, found);
  EXPECT_TRUE(found.families.empty());
}

TEST(ScheduleSearch, SaysWhatCannotBe) {
  Random random(test::firstSeed());
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
