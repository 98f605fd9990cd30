// SPDX-License-Identifier: Apache-2.0
//
// The list of what ranks exchange beside their units, against its sums and
// against what each level of ZeRO is said to exchange.

#include "../../FirstSeed.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Step/StepModel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace shardsmith {
namespace {

using When = StepExchange::When;

class StepExchangesTest : public testing::Test {
protected:
  StepExchangesTest() {
    workload.globalBatch = 64;
    profile.zeroMicrosecondsPerRank = 0;
    profile.dataExposure = 1;
  }

  std::vector<StepExchange> list(const Strategy &strategy,
                                 const StageWork &work) {
    CostContext context{workload, topology, profile};
    return StepModel(context, strategy).exchanges(0, work);
  }

  workload::Workload workload;
  StackProfile profile;
  Cluster cluster = *findCluster("8x8xh100").cluster;
  ClusterTopology topology{cluster};
};

TEST_F(StepExchangesTest, AddsUpToTheTimesOfARank) {
  std::mt19937_64 random(test::firstSeed());
  auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  size_t exchanges = 0;
  for (int drawn = 0; drawn < 500; ++drawn) {
    Strategy strategy;
    strategy.tensor = 1 << below(3);
    strategy.data = 1 << below(3);
    strategy.context = 1 << below(2);
    strategy.pipeline = 1 << below(2);
    strategy.virtualStages = strategy.pipeline > 1 ? 1 + below(2) : 1;
    strategy.expert = below(2) ? strategy.data : 1;
    strategy.zeroStage = int(below(4));
    if (below(2) && strategy.data > 1)
      strategy.zeroGroup = strategy.replicas() / 2;
    StageWork work;
    work.denseParameters = 1 + below(1000000);
    work.denseUses = work.denseParameters * 2;
    work.expertParameters = below(2) * below(1000000);
    work.expertUses = work.expertParameters;
    work.partialParameters = below(2) * below(1000);
    SCOPED_TRACE(fmt::format("{} zero={} group={}", strategy.str(),
                             strategy.zeroStage, strategy.zeroGroup));
    CostContext context{workload, topology, profile};
    RankTimes times = StepModel(context, strategy).times(0, work, {});
    Nanoseconds each, once;
    for (const StepExchange &exchange : list(strategy, work)) {
      (exchange.isPerMicroBatch() ? each : once) += exchange.time;
      EXPECT_GT(exchange.bytes.count(), 0);
      if (exchange.group)
        EXPECT_GT(exchange.group->size, 1);
      ++exchanges;
    }
    EXPECT_EQ(each, times.exchange);
    EXPECT_EQ(once, times.data);
  }
  EXPECT_GT(exchanges, 500u);
}

// arXiv:1910.02054, section 7: all-reduce; scatter and gather; those per
// micro-batch.
TEST_F(StepExchangesTest, EachLevelOfZeroExchangesWhatItIsSaidTo) {
  using Kind = std::pair<CollectiveOp, When>;
  const std::vector<std::vector<Kind>> expected = {
      {{CollectiveOp::AllReduce, When::BeforeUpdate}},
      {{CollectiveOp::ReduceScatter, When::BeforeUpdate},
       {CollectiveOp::AllGather, When::BehindUpdate}},
      {{CollectiveOp::ReduceScatter, When::BehindBackward},
       {CollectiveOp::AllGather, When::BehindUpdate}},
      {{CollectiveOp::AllGather, When::BeforeForward},
       {CollectiveOp::AllGather, When::BeforeBackward},
       {CollectiveOp::ReduceScatter, When::BehindBackward}}};
  Strategy strategy;
  strategy.data = 8;
  StageWork work;
  work.denseParameters = work.denseUses = 1000;
  for (int zero = 0; zero < 4; ++zero) {
    strategy.zeroStage = zero;
    std::vector<Kind> kinds;
    for (const StepExchange &exchange : list(strategy, work)) {
      kinds.emplace_back(exchange.op, exchange.when);
      // Products are in f32 where the workload says nothing.
      double each = exchange.op == CollectiveOp::AllGather
                        ? 4
                        : profile.gradientMessageBytes;
      EXPECT_EQ(double(exchange.bytes.count()), 1000 * each);
      EXPECT_EQ(exchange.group, (ReplicaSubset{1, 8}));
    }
    EXPECT_EQ(kinds, expected[size_t(zero)]) << zero;
  }
  // In groups of four: the two copies of each shard are summed up, too.
  strategy.zeroStage = 1;
  strategy.zeroGroup = 4;
  std::vector<StepExchange> all = list(strategy, work);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].group, (ReplicaSubset{1, 4}));
  EXPECT_EQ(all[1].op, CollectiveOp::AllReduce);
  EXPECT_EQ(all[1].group, (ReplicaSubset{4, 2}));
  EXPECT_EQ(double(all[1].bytes.count()), 250 * profile.gradientMessageBytes);
  EXPECT_EQ(all[2].group, (ReplicaSubset{1, 4}));
}

} // namespace
} // namespace shardsmith
