// SPDX-License-Identifier: Apache-2.0

#include "../../../../lib/Plan/MixedDevices/MicroBatchBalancing.h"
#include "../../../../lib/Plan/Configurations/ConfigurationSearch.h"
#include "../../FirstSeed.h"
#include "../RandomInstance.h"

#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace search;
using testing_search::RandomInstance;

/// The least time of the slowest kind over all numbers of micro-batches.
Nanoseconds leastTime(const std::vector<ReplicaGroup> &kinds, int64_t total,
                      size_t kind = 0, int64_t left = 0,
                      Nanoseconds soFar = {}) {
  if (kind == 0)
    left = total;
  if (kind == kinds.size())
    return left <= 0 ? soFar : Nanoseconds::saturated();
  Nanoseconds least = Nanoseconds::saturated();
  for (int64_t count = 1; count <= std::min(total, kinds[kind].most); ++count)
    if (kinds[kind].canRun(count))
      least =
          std::min(least, leastTime(kinds, total, kind + 1,
                                    left - count * kinds[kind].ranks,
                                    std::max(soFar, kinds[kind].step(count))));
  return least;
}

TEST(MicroBatchBalancing, NoWayToDealIsFaster) {
  std::mt19937_64 random(test::firstSeed());
  auto below = [&](int64_t bound) { return int64_t(random() % bound); };
  size_t none = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<ReplicaGroup> kinds;
    for (int64_t kind = 0; kind < 2 + round % 2; ++kind) {
      int64_t offset = below(30), each = 1 + below(20);
      int64_t from = 1 + (below(4) == 0 ? below(3) : 0);
      int64_t multiple = 1 + (below(3) == 0 ? 1 : 0);
      kinds.push_back(
          {1 + below(3),
           [=](int64_t count) { return Nanoseconds(offset + each * count); },
           [=](int64_t count) {
             return count >= from && count % multiple == 0;
           }});
      if (below(3) == 0)
        kinds.back().most = below(8);
    }
    int64_t total = 1 + below(12);
    std::vector<int64_t> counts = balanceMicroBatches(kinds, total);
    Nanoseconds least = leastTime(kinds, total);
    if (counts.empty()) {
      // Ways that give a rank more than the whole step are none.
      ++none;
      EXPECT_TRUE(least.isSaturated());
      continue;
    }
    Nanoseconds longest;
    int64_t sum = 0;
    size_t rank = 0;
    for (const ReplicaGroup &kind : kinds)
      for (int64_t i = 0; i < kind.ranks; ++i, ++rank) {
        ASSERT_LT(rank, counts.size());
        EXPECT_GE(counts[rank], 1);
        EXPECT_TRUE(kind.canRun(counts[rank]));
        EXPECT_LE(counts[rank], kind.most);
        longest = std::max(longest, kind.step(counts[rank]));
        sum += counts[rank];
      }
    EXPECT_EQ(rank, counts.size());
    EXPECT_GE(sum, total);
    EXPECT_EQ(longest, least);
  }
  EXPECT_GT(none, 0u);
  EXPECT_LT(none, 1000u);
}

TEST(MicroBatchBalancing, AbsurdStepsAreDealtAtOnce) {
  auto always = [](int64_t) { return true; };
  int64_t total = int64_t(1) << 40;
  std::vector<int64_t> counts = balanceMicroBatches(
      {{1, [](int64_t count) { return Nanoseconds(count); }, always},
       {1, [](int64_t count) { return Nanoseconds(3 * count); }, always}},
      total);
  EXPECT_EQ(counts, (std::vector{total / 4 * 3, total / 4}));
  EXPECT_TRUE(
      balanceMicroBatches(
          {{1, [](int64_t) { return Nanoseconds::saturated(); }, always}}, 4)
          .empty());
}

/// The fastest of all shares of a plan, priced one by one.
class AllShares {
public:
  AllShares(const CostContext &context, Strategy plan)
      : context(context), strategy(std::move(plan)),
        batches(ceilDivide(context.workload.globalBatch, strategy.microBatch)) {
    std::vector<DataShare> single;
    for (DataShare share : strategy.dataShares)
      single.insert(single.end(), size_t(share.ranks), {share.pool, 1, 1});
    strategy.dataShares = std::move(single);
    count(0);
  }
  Nanoseconds least = Nanoseconds::saturated();

private:
  void count(size_t rank) {
    // One per share.
    std::vector<DataShare> &shares = strategy.dataShares;
    if (rank < shares.size()) {
      int64_t &each = shares[rank].microBatches;
      for (each = 1; each <= batches; ++each)
        if (canRun(strategy.schedule, strategy.pipeline, each))
          count(rank + 1);
      return;
    }
    if (!strategy.verify(context.workload).empty())
      return;
    StepEstimate estimate = estimateStep(context, strategy);
    if (estimate.fits())
      least = std::min(least, estimate.step());
  }

  const CostContext &context;
  Strategy strategy;
  int64_t batches;
};

struct Compared {
  size_t plans = 0, uneven = 0;
};

/// The balanced plans of a random instance against all shares. What is fixed is
/// as in `--fix`.
void compareShares(uint64_t seed, Compared &compared,
                   const std::string &fixed = "") {
  SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
  RandomInstance instance(seed, true);
  instance.constraints = {};
  instance.workload.globalBatch = 3 + instance.below(5);
  ClusterTopology topology(instance.cluster);
  CostContext context{instance.workload, topology, instance.profile};
  UniformCluster alike(context);
  SearchOptions options;
  options.constraints.data.least = 2;
  if (!fixed.empty())
    ASSERT_EQ(options.constraints.fix(fixed), std::nullopt);
  options.planCount = 3;
  for (const RankedPlan &plan :
       searchStrategies(alike.context(), options).plans)
    for (const Candidate &found :
         balancedPlans(context, options.constraints, plan.strategy)) {
      const Strategy &strategy = found.strategy;
      // A single micro-batch hides no reduction of gradients: such shares are
      // not compared with longer ones.
      if (strategy.microBatchCount(0) == 1 || strategy.data > 4)
        continue;
      EXPECT_EQ(found.step, AllShares(context, strategy).least)
          << strategy.str();
      EXPECT_EQ(found.step, estimateStep(context, strategy).step());
      ++compared.plans;
      compared.uneven += strategy.dataShares.front().microBatches !=
                         strategy.dataShares.back().microBatches;
    }
}

TEST(MicroBatchBalancing, EqualsEnumerationOfShares) {
  Compared compared;
  uint64_t seed = test::firstSeed();
  for (size_t tries = 0; tries < 400 && compared.plans < 60; ++tries)
    compareShares(seed++, compared);
  EXPECT_GT(compared.plans, 20u);
  EXPECT_GT(compared.uneven, 5u);
}

/// Where ranks wait for each other with every micro-batch the busiest one
/// counts, whatever its kind.
TEST(MicroBatchBalancing, EqualsEnumerationOfSharesThatWait) {
  Compared compared;
  uint64_t seed = test::firstSeed();
  for (size_t tries = 0; tries < 300 && compared.plans < 40; ++tries, ++seed)
    compareShares(seed, compared, seed % 2 ? "zero=2" : "zero=3");
  EXPECT_GT(compared.plans, 15u);
}

/// Here a share's schedule takes longer when it is played than its sums say.
TEST(MicroBatchBalancing, SharesArePlayed) {
  Compared compared;
  compareShares(3776459714, compared);
  EXPECT_GT(compared.plans, 0u);
}

/// Of the configuration by ops and capacity, which are all that bounds such
/// plans.
Nanoseconds boundOf(const CostContext &context,
                    const SearchConstraints &constraints, const Strategy &s) {
  std::vector<ParallelConfiguration> configurations = {
      ParallelConfiguration::of(s)};
  ConfigurationSearch search(context, constraints, configurations, 1,
                             [] { return false; });
  return search.bounds().ofOps(configurations.front());
}

TEST(MicroBatchBalancing, OnlyAddToTheSearchAndKeepTheirBound) {
  uint64_t seed = test::firstSeed();
  size_t better = 0;
  for (int round = 0; round < 150; ++round, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomInstance instance(seed, true);
    ClusterTopology topology(instance.cluster);
    CostContext context{instance.workload, topology, instance.profile};
    SearchOptions options;
    if (round % 3 == 0)
      options.constraints = instance.constraints;
    else
      options.constraints.tensor.most = 1;
    if (round % 3 == 1)
      options.constraints.pipeline.most = options.constraints.context.most = 1;
    instance.workload.globalBatch += instance.below(8);
    options.unevenShares = false;
    SearchResult without = searchStrategies(context, options);
    options.unevenShares = true;
    SearchResult with = searchStrategies(context, options);
    if (without.plans.empty())
      continue;
    ASSERT_FALSE(with.plans.empty());
    EXPECT_LE(with.cost, without.cost);
    EXPECT_LE(with.lowerBound, with.cost);
    for (const RankedPlan &plan : with.plans)
      EXPECT_LE(boundOf(context, options.constraints, plan.strategy),
                plan.estimate.step())
          << plan.strategy.str();
    better += with.cost < without.cost;
  }
  std::printf("%zu instances have a better plan\n", better);
  EXPECT_GT(better, 0u);
}

/// Eight devices, and eight that have 0.4 of their speed.
Cluster mixedCluster() {
  Cluster cluster = *findCluster("8xh100").cluster;
  Group second = cluster.groups.front();
  DeviceType slower = cluster.deviceTypes.at(second.node.devices.front().type);
  for (auto &[type, rate] : slower.flopsPerSecond)
    rate *= 0.4;
  for (AttentionFit &fit : slower.attentionFits)
    fit.flopsPerSecond *= 0.4;
  slower.bytesPerSecond *= 0.4;
  cluster.deviceTypes["slower"] = slower;
  second.name = "second";
  second.node.devices.front().type = "slower";
  cluster.interconnects.push_back({cluster.groups.front().name + "[0]",
                                   "second[0]", second.node.fabricLink, 1});
  cluster.groups.push_back(second);
  return cluster;
}

/// ZeRO-2 and ZeRO-3 exchange with every micro-batch: a rank that has one goes
/// through five if another one has five, and is slower than with equal shares.
TEST(MicroBatchBalancing, SharesThatWaitTakeAsLongAsTheBusiestRank) {
  workload::Workload model = workload::transformer(
      {.layers = 4, .hidden = 2048, .feedForward = 8192, .globalBatch = 48});
  Cluster cluster = mixedCluster();
  ClusterTopology topology(cluster);
  StackProfile profile;
  CostContext context{model, topology, profile};
  for (int stage : {0, 1, 2, 3}) {
    SearchOptions options;
    ASSERT_EQ(
        options.constraints.fix("pp=1,tp=1,cp=1,dp=16,micro-batch=1,zero=" +
                                std::to_string(stage)),
        std::nullopt);
    SearchResult found = searchStrategies(context, options);
    ASSERT_FALSE(found.plans.empty());
    Strategy strategy = found.plans.front().strategy;
    auto stepWith = [&](int64_t fast, int64_t slow) {
      strategy.dataShares = {{0, 8, fast}, {1, 8, slow}};
      // Five of each are more than the batch has, and a step like any other.
      if (8 * (fast + slow) == 48) {
        EXPECT_EQ(strategy.verify(model), "");
      }
      return estimateStep(context, strategy).step();
    };
    bool waits = stage >= 2;
    EXPECT_EQ(stepWith(5, 1) == stepWith(5, 5), waits) << stage;
    EXPECT_EQ(stepWith(5, 1) > stepWith(3, 3), waits) << stage;
    EXPECT_EQ(found.cost < stepWith(3, 3).count(), !waits) << stage;
  }
}

TEST(MicroBatchBalancing, FastDevicesTakeMoreOfTheBatch) {
  workload::Workload model = workload::transformer(
      {.layers = 4, .hidden = 2048, .feedForward = 8192, .globalBatch = 128});
  Cluster cluster = mixedCluster();
  ClusterTopology topology(cluster);
  ASSERT_EQ(topology.pools().size(), 2u);
  StackProfile profile;
  CostContext context{model, topology, profile};
  SearchOptions options;
  EXPECT_EQ(options.constraints.fix("pp=1,tp=1,cp=1"), std::nullopt);
  options.unevenShares = false;
  SearchResult without = searchStrategies(context, options);
  options.unevenShares = true;
  SearchResult with = searchStrategies(context, options);
  ASSERT_FALSE(with.plans.empty());
  const Strategy &best = with.plans.front().strategy;
  ASSERT_EQ(best.data, 16) << best.str();
  ASSERT_GT(best.dataShares.size(), 1u) << best.str();
  EXPECT_GT(best.dataShares.front().microBatches,
            best.dataShares.back().microBatches);
  EXPECT_EQ(best.verify(model), "");
  EXPECT_LT(with.cost, without.cost);
  EXPECT_LE(with.lowerBound, with.cost);

  options.threads = 2;
  SearchResult again = searchStrategies(context, options);
  ASSERT_EQ(again.plans.size(), with.plans.size());
  for (size_t i = 0; i < with.plans.size(); ++i)
    EXPECT_EQ(again.plans[i].strategy, with.plans[i].strategy);
}

TEST(MicroBatchBalancing, AnOrderThatTheUserGivesIsKept) {
  workload::Workload model = workload::transformer({.globalBatch = 64});
  Cluster cluster = mixedCluster();
  ClusterTopology topology(cluster);
  StackProfile profile;
  CostContext context{model, topology, profile};
  UniformCluster alike(context);
  SearchOptions options;
  EXPECT_EQ(options.constraints.fix("pp=2,dp=8,order=tp-cp-dp-pp"),
            std::nullopt);
  SearchResult found = searchStrategies(alike.context(), options);
  ASSERT_FALSE(found.plans.empty());
  EXPECT_TRUE(
      balancedPlans(context, options.constraints, found.plans.front().strategy)
          .empty());
  options.constraints.deviceOrder.reset();
  EXPECT_FALSE(
      balancedPlans(context, options.constraints, found.plans.front().strategy)
          .empty());
}

} // namespace
} // namespace shardsmith
