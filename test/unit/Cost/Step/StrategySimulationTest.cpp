// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/StrategySimulation.h"

#include "../../Workload/TwoLayers.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

/// A chain of equal layers, wide enough that kernels take longer than launches.
workload::Workload layers(int64_t count, int64_t globalBatch) {
  workload::Workload workload;
  workload.modelName = "layers";
  workload::Block block = workload::layerBlock();
  for (workload::Tensor &tensor : block.tensors)
    for (int64_t &size : tensor.shape)
      if (size == workload::hidden)
        size = 4096;
  for (workload::Op &op : block.ops)
    for (workload::Factor &factor : op.factors)
      if (factor.size == workload::hidden)
        factor.size = 4096;
  workload.blocks = {block};
  workload.segments = {{0, count, {}}};
  for (int64_t i = 0; i < count; ++i)
    workload.segments[0].parameterNames.add({fmt::format("{}.w", i)});
  workload.globalBatch = globalBatch;
  workload.sequenceLength = workload::positions;
  workload.computeType = workload::ElementType::BF16;
  return workload;
}

Strategy pipelined(const workload::Workload &workload, ScheduleFamily family,
                   int64_t ranks, int64_t virtualStages) {
  Strategy strategy;
  strategy.pipeline = ranks;
  strategy.virtualStages = virtualStages;
  strategy.schedule = family;
  int64_t units = workload.unitCount() / (ranks * virtualStages);
  for (int64_t stage = 0; stage < ranks * virtualStages; ++stage)
    strategy.stages.push_back(
        {stage * units, (stage + 1) * units,
         std::vector<Recompute>(size_t(units), Recompute::None), 0});
  strategy.layouts = {unsplitLayout(workload.blocks[0])};
  return strategy;
}

/// A stack without anything that closed forms leave out.
StackProfile plainProfile() {
  StackProfile profile;
  profile.pipelineExposure = 0;
  profile.overlapSlowdown = 1;
  profile.stragglerPerDoubling = 0;
  return profile;
}

class StrategySimulationTest : public testing::Test {
protected:
  void SetUp() override {
    ClusterResult result = findCluster("8xh100");
    ASSERT_TRUE(result.cluster) << result.errorText();
    cluster = *result.cluster;
    // Messages that take no time.
    for (auto &[name, link] : cluster.linkTypes) {
      link.latencySeconds = link.messageSeconds = 0;
      link.bytesPerSecond = 1e30;
    }
  }

  Cluster cluster;
  StackProfile profile = plainProfile();
};

TEST_F(StrategySimulationTest, AgreesWithTheEstimateWhereStagesAreAlike) {
  ClusterTopology topology(cluster);
  workload::Workload workload = layers(16, 32);
  // The closed forms of the last two hold for f = i = w only, which layers
  // meet roughly. The simulation launches one optimizer kernel per stage, the
  // estimate one per rank.
  struct Case {
    ScheduleFamily family;
    int64_t virtualStages;
    double tolerance;
  };
  for (auto [family, virtualStages, tolerance] :
       {Case{ScheduleFamily::GPipe, 1, 1e-3},
        {ScheduleFamily::OneForwardOneBackward, 1, 1e-3},
        {ScheduleFamily::EagerOneForwardOneBackward, 1, 1e-3},
        {ScheduleFamily::Interleaved, 2, 1e-3},
        {ScheduleFamily::Interleaved, 4, 2e-3},
        {ScheduleFamily::ZeroBubbleH1, 1, 1e-3},
        {ScheduleFamily::ZeroBubbleH2, 1, 1e-3},
        {ScheduleFamily::ZeroBubbleV, 2, 0.03},
        {ScheduleFamily::DualPipeV, 2, 0.03}})
    for (int64_t ranks : {1, 2, 4}) {
      Strategy strategy = pipelined(workload, family, ranks, virtualStages);
      SCOPED_TRACE(strategy.str());
      ASSERT_EQ(strategy.verify(workload), "");
      CostContext context{workload, topology, profile, {}};
      std::string error;
      auto played = simulateStrategy(context, strategy, error);
      ASSERT_TRUE(played) << error;
      StepEstimate estimate = estimateStep(context, strategy);
      double ratio =
          double(played->step.count()) / double(estimate.step().count());
      EXPECT_NEAR(ratio, 1, tolerance)
          << played->step.count() << " simulated, " << estimate.step().count()
          << " estimated, " << estimate.time.bubble.count() << " bubble";
      for (size_t rank = 0; rank < estimate.ranks.size(); ++rank)
        EXPECT_NEAR(double(played->simulation.ranks[rank].peakMemory.count()) /
                        double(estimate.ranks[rank].memory.activations.count()),
                    1, 1e-4);
    }
}

// There are fewer gradients of parameters than gaps.
TEST_F(StrategySimulationTest, AgreesWithTheEstimateOfFewMicroBatches) {
  ClusterTopology topology(cluster);
  for (ScheduleFamily family :
       {ScheduleFamily::ZeroBubbleH1, ScheduleFamily::ZeroBubbleH2})
    for (int64_t batches : {1, 2, 3, 5}) {
      workload::Workload workload = layers(16, batches);
      Strategy strategy = pipelined(workload, family, 4, 1);
      SCOPED_TRACE(strategy.str());
      ASSERT_EQ(strategy.microBatchCount(workload.globalBatch), batches);
      CostContext context{workload, topology, profile, {}};
      std::string error;
      auto played = simulateStrategy(context, strategy, error);
      ASSERT_TRUE(played) << error;
      StepEstimate estimate = estimateStep(context, strategy);
      EXPECT_NEAR(double(played->step.count()) /
                      double(estimate.step().count()),
                  1, 2e-3);
    }
}

TEST_F(StrategySimulationTest, UnevenStagesWaitForTheLongest) {
  ClusterTopology topology(cluster);
  workload::Workload workload = layers(8, 8);
  Strategy strategy =
      pipelined(workload, ScheduleFamily::OneForwardOneBackward, 2, 1);
  strategy.stages = {{0, 6, std::vector<Recompute>(6), 0},
                     {6, 8, std::vector<Recompute>(2), 0}};
  CostContext context{workload, topology, profile, {}};
  std::string error;
  auto played = simulateStrategy(context, strategy, error);
  ASSERT_TRUE(played) << error;
  EXPECT_EQ(played->simulation.ranks[1].idle() > Nanoseconds(0), true);
  EXPECT_GT(played->simulation.ranks[0].busy.count(),
            2 * played->simulation.ranks[1].busy.count());
}

TEST_F(StrategySimulationTest, SaysWhyAScheduleCannotRun) {
  ClusterTopology topology(cluster);
  workload::Workload workload = layers(8, 2);
  Strategy strategy = pipelined(workload, ScheduleFamily::DualPipeV, 4, 2);
  CostContext context{workload, topology, profile, {}};
  std::string error;
  EXPECT_FALSE(simulateStrategy(context, strategy, error));
  EXPECT_NE(error.find("dualpipe-v on 4 ranks needs at least 8"),
            std::string::npos);
}

} // namespace
