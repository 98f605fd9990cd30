// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Fixed/FixedPlan.h"

#include "../../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace workload;
using testing::ElementsAre;
using testing::HasSubstr;

Workload modelOf(int64_t layers) {
  TransformerSizes sizes;
  sizes.layers = layers;
  return transformer(sizes);
}

// Units: embedding, layers, head.

TEST(EqualStages, LayersDivide) {
  EXPECT_THAT(equalStages(modelOf(8), 4), ElementsAre(0, 3, 5, 7, 10));
}

TEST(EqualStages, EmbeddingAndHeadCountAsLayers) {
  // BLOOM's 70 layers on 12 stages: 5 and 5 at the ends, 6 elsewhere.
  std::vector<int64_t> begins = equalStages(modelOf(70), 12);
  ASSERT_EQ(begins.size(), 13u);
  for (int64_t stage = 0; stage <= 12; ++stage)
    EXPECT_EQ(begins[size_t(stage)], 6 * stage);
}

TEST(EqualStages, FirstStagesTakeWhatIsLeft) {
  // 61 layers on 4 stages: 16, 15, 15, 15.
  EXPECT_THAT(equalStages(modelOf(61), 4), ElementsAre(0, 17, 32, 47, 63));
}

TEST(EqualStages, FewerLayersThanStages) {
  EXPECT_TRUE(equalStages(modelOf(3), 8).empty());
  EXPECT_THAT(equalStages(modelOf(3), 1), ElementsAre(0, 5));
}

class FixedPlanTest : public testing::Test {
protected:
  FixedPlanTest()
      : model(modelOf(8)), cluster(*findCluster("16xh100").cluster),
        topology(cluster) {}

  CostContext context() { return {model, topology, profile}; }
  std::optional<Strategy> make(const FixedPlan &plan) {
    return strategyOf(context(), plan, error);
  }

  /// How the tensor axis splits an op of the layer: a factor's name, or "".
  std::string splitOf(const Strategy &strategy, const std::string &op) {
    const Block &layer = model.blocks[1];
    for (OpIndex i = 0; i < layer.ops.size(); ++i)
      if (layer.ops[i].name == op) {
        auto factor = strategy.layouts[1].ops[i].factor;
        return factor ? layer.ops[i].factors[*factor].name : "";
      }
    ADD_FAILURE() << "no op " << op;
    return "";
  }

  Workload model;
  Cluster cluster;
  ClusterTopology topology;
  StackProfile profile;
  std::string error;
};

TEST_F(FixedPlanTest, IsMegatronsWithoutSequenceParallelism) {
  FixedPlan plan;
  plan.tensor = 8;
  plan.data = 2;
  std::optional<Strategy> strategy = make(plan);
  ASSERT_TRUE(strategy) << error;
  EXPECT_EQ(strategy->verify(model), "");
  EXPECT_EQ(splitOf(*strategy, "norm1"), "");
  EXPECT_EQ(splitOf(*strategy, "wq"), "a");
  EXPECT_EQ(splitOf(*strategy, "attention"), "a");
  EXPECT_EQ(splitOf(*strategy, "wo"), "a");
  EXPECT_EQ(splitOf(*strategy, "add1"), "");
  EXPECT_EQ(splitOf(*strategy, "norm2"), "");
  EXPECT_EQ(splitOf(*strategy, "w1"), "f");
  EXPECT_EQ(splitOf(*strategy, "activation"), "f");
  EXPECT_EQ(splitOf(*strategy, "w2"), "f");
}

TEST_F(FixedPlanTest, SplitsBetweenProductsWithSequenceParallelism) {
  FixedPlan plan;
  plan.tensor = 8;
  plan.data = 2;
  plan.sequenceParallel = true;
  std::optional<Strategy> strategy = make(plan);
  ASSERT_TRUE(strategy) << error;
  EXPECT_NE(splitOf(*strategy, "norm1"), "");
  EXPECT_NE(splitOf(*strategy, "add1"), "");
  EXPECT_EQ(splitOf(*strategy, "w1"), "f");
}

TEST_F(FixedPlanTest, LayersRecomputeAndEndsDoNot) {
  FixedPlan plan;
  plan.pipeline = 2;
  plan.data = 8;
  plan.recompute = Recompute::Full;
  std::optional<Strategy> strategy = make(plan);
  ASSERT_TRUE(strategy) << error;
  EXPECT_THAT(strategy->stages.front().recompute,
              ElementsAre(Recompute::None, Recompute::Full, Recompute::Full,
                          Recompute::Full, Recompute::Full));
  EXPECT_EQ(strategy->stages.back().recompute.back(), Recompute::None);
}

TEST_F(FixedPlanTest, InterleavesVirtualStages) {
  FixedPlan plan;
  plan.pipeline = 2;
  plan.virtualStages = 2;
  plan.data = 8;
  std::optional<Strategy> strategy = make(plan);
  ASSERT_TRUE(strategy) << error;
  EXPECT_EQ(strategy->schedule, ScheduleFamily::Interleaved);
  EXPECT_EQ(strategy->stages.size(), 4u);
}

TEST_F(FixedPlanTest, RefusesMoreRanksThanDevices) {
  FixedPlan plan;
  plan.data = 32;
  EXPECT_FALSE(make(plan));
  EXPECT_THAT(error, HasSubstr("16 devices"));
}

TEST_F(FixedPlanTest, RefusesMoreStagesThanLayers) {
  FixedPlan plan;
  plan.pipeline = 16;
  EXPECT_FALSE(make(plan));
  EXPECT_THAT(error, HasSubstr("16 stages"));
}

} // namespace
} // namespace shardsmith
