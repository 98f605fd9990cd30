// SPDX-License-Identifier: Apache-2.0

#include "../../../lib/Schedule/ListScheduler.h"
#include "../../../lib/Schedule/OrderImprovement.h"
#include "shardsmith/Schedule/Replay.h"

#include "../FirstSeed.h"
#include "RandomProblem.h"
#include "RandomTable.h"

#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;
using namespace shardsmith::schedule::test;

namespace {

ListPriorities randomPriorities(Random &random, int64_t ranks) {
  ListPriorities priorities;
  for (int64_t rank = 0; rank < ranks; ++rank)
    priorities.backwardFirst.push_back(tossed(random, 0.5));
  priorities.nearLossFirst = tossed(random, 0.5);
  priorities.splitsBackward = tossed(random, 0.7);
  priorities.pairsPasses = tossed(random, 0.4);
  priorities.noise = tossed(random, 0.5) ? 0.3 : 0;
  priorities.seed = random();
  return priorities;
}

/// One to three stages per rank, in turns, in V shape, or anyhow.
PipelineProblem anyProblem(Random &random) {
  int64_t ranks = between(random, 1, 5);
  PipelineProblem problem = randomProblem(
      random, ranks, ranks * between(random, 1, 3), between(random, 1, 12), 10);
  if (tossed(random, 0.3))
    placeInVShape(problem);
  else if (tossed(random, 0.3))
    for (int64_t &rank : problem.rankOfStage)
      rank = between(random, 0, ranks - 1);
  return problem;
}

Simulation simulated(const PipelineProblem &problem, const PassOrder &order) {
  Schedule schedule =
      scheduleOf(order, int64_t(problem.stages.size()), problem.microBatches);
  std::string error;
  auto played = simulate(addCommunication(schedule, {false, true, true}),
                         problem.stages, error, problem.simulation);
  EXPECT_TRUE(played) << error;
  return played.value_or(Simulation());
}

TEST(ListSchedule, PlaysLikeTheSimulation) {
  Random random(shardsmith::test::firstSeed());
  for (int i = 0; i < 1000; ++i) {
    PipelineProblem problem = anyProblem(random);
    PassCosts costs(problem);
    PassOrder order =
        listSchedule(costs, randomPriorities(random, problem.ranks));
    OrderPlayer player(costs);
    std::optional<OrderCost> cost = player.play(order);
    ASSERT_TRUE(cost);
    Simulation played = simulated(problem, order);
    ASSERT_EQ(cost->period, played.period());
    Nanoseconds sum;
    for (const RankTimeline &rank : played.ranks)
      sum += rank.span();
    ASSERT_EQ(cost->sum, sum);
  }
}

TEST(ListSchedule, StaysWithinTheMemory) {
  Random random(shardsmith::test::firstSeed());
  for (int i = 0; i < 2000; ++i) {
    PipelineProblem problem = anyProblem(random);
    problem.memoryLimits = randomLimits(random, problem);
    PassCosts costs(problem);
    PassOrder order =
        listSchedule(costs, randomPriorities(random, problem.ranks));
    Simulation played = simulated(problem, order);
    for (size_t rank = 0; rank < played.ranks.size(); ++rank)
      ASSERT_LE(played.ranks[rank].peakMemory, problem.memoryLimits[rank]);
    ASSERT_TRUE(OrderPlayer(costs).fits(order));
  }
}

/// Whether an order fits is what the simulation finds, of legal orders that
/// know no limit.
TEST(ListSchedule, CountsMemoryLikeTheSimulation) {
  Random random(shardsmith::test::firstSeed());
  int fitting = 0;
  for (int i = 0; i < 1000; ++i) {
    PipelineProblem problem = anyProblem(random);
    PassOrder order = listSchedule(PassCosts(problem),
                                   randomPriorities(random, problem.ranks));
    Simulation played = simulated(problem, order);
    problem.memoryLimits = randomLimits(random, problem);
    bool fits = true;
    for (size_t rank = 0; rank < played.ranks.size(); ++rank)
      fits &= played.ranks[rank].peakMemory <= problem.memoryLimits[rank];
    PassCosts costs(problem);
    ASSERT_EQ(OrderPlayer(costs).fits(order), fits);
    fitting += fits;
  }
  EXPECT_GT(fitting, 0);
  EXPECT_LT(fitting, 1000);
}

TEST(ListSchedule, OrdersAndSchedulesAreTheSame) {
  Random random(shardsmith::test::firstSeed());
  for (int i = 0; i < 300; ++i) {
    PipelineProblem problem = anyProblem(random);
    PassCosts costs(problem);
    PassOrder order =
        listSchedule(costs, randomPriorities(random, problem.ranks));
    Schedule schedule =
        scheduleOf(order, int64_t(problem.stages.size()), problem.microBatches);
    ASSERT_EQ(replay(schedule), std::vector<std::string>());
    // Only whole backward passes of the first stage are written otherwise.
    ASSERT_EQ(withSplitBackward(orderOf(schedule)), withSplitBackward(order));
  }
}

/// From random starts, with pairs of passes where they are allowed.
TEST(ListSchedule, ImprovementNeverMakesWorse) {
  Random random(shardsmith::test::firstSeed());
  int better = 0, paired = 0;
  for (int i = 0; i < 150; ++i) {
    PipelineProblem problem = anyProblem(random);
    if (tossed(random, 0.5))
      problem.memoryLimits = randomLimits(random, problem);
    PassCosts costs(problem);
    OrderPlayer player(costs);
    PassOrder order =
        listSchedule(costs, randomPriorities(random, problem.ranks));
    OrderCost cost = *player.play(order);
    ImprovementOptions options;
    options.pairsPasses = tossed(random, 0.7);
    options.splitsBackward = tossed(random, 0.7);
    options.seed = random();
    RatedOrder improved =
        improve(player, {order, cost}, 1 << 15, costs.busiestRank(), options);
    ASSERT_LE(improved.cost, cost);
    ASSERT_EQ(player.play(improved.order), improved.cost);
    ASSERT_TRUE(player.fits(improved.order));
    Simulation played = simulated(problem, improved.order);
    ASSERT_EQ(played.period(), improved.cost.period);
    for (size_t rank = 0; rank < problem.memoryLimits.size(); ++rank)
      ASSERT_LE(played.ranks[rank].peakMemory, problem.memoryLimits[rank]);
    better += improved.cost < cost;
    for (const std::vector<Pass> &passes : improved.order)
      for (const Pass &pass : passes)
        paired += pass.backwardStage.has_value();
  }
  EXPECT_GT(better, 0);
  EXPECT_GT(paired, 0);
}

} // namespace
