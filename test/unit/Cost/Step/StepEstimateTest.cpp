// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every estimate, on random strategies, and one estimate
// made by hand.

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "../../FirstSeed.h"
#include "../TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace shardsmith {
namespace {

using namespace workload;

Cluster builtin(const std::string &name) { return *findCluster(name).cluster; }

void spreadEvenly(Strategy &strategy, int64_t units, Recompute choice) {
  int64_t stages = strategy.pipeline * strategy.virtualStages;
  for (int64_t stage = 0; stage < stages; ++stage) {
    Stage next;
    next.begin = units * stage / stages;
    next.end = units * (stage + 1) / stages;
    next.recompute.assign(size_t(next.end - next.begin), choice);
    strategy.stages.push_back(next);
  }
}

/// The first layouts of the tables whose borders are whole.
void chooseLayouts(Strategy &strategy, const CostContext &context) {
  KernelTimes kernels(context.topology.deviceType(0), context.profile);
  CollectiveTimes collectives(context.topology.cluster(), context.profile);
  BlockTables tables(context.workload, collectives);
  UnitSetting setting = unitSetting(context, strategy, 0);
  auto isWhole = [](TensorLayout layout) {
    return layout == TensorLayout::whole();
  };
  for (BlockIndex block = 0; block < context.workload.blocks.size(); ++block)
    for (const BlockEntry &entry : tables.table(block, setting, 0, kernels))
      if (std::ranges::all_of(entry.inputs, isWhole) &&
          std::ranges::all_of(entry.outputs, isWhole)) {
        strategy.layouts.push_back(entry.layout);
        break;
      }
}

class StepEstimateTest : public testing::Test {
protected:
  StepEstimateTest() {
    sizes.layers = 14;
    sizes.globalBatch = 96;
    workload = transformer(sizes);
  }

  CostContext context() { return {workload, topology, profile}; }

  int64_t among(std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  }

  Strategy randomStrategy() {
    Strategy strategy;
    strategy.tensor = among({1, 2, 4, 8});
    strategy.context = among({1, 1, 2});
    strategy.pipeline = among({1, 2, 4});
    strategy.data =
        64 / (strategy.tensor * strategy.context * strategy.pipeline);
    strategy.microBatch = among({1, 2});
    strategy.zeroStage = int(among({0, 1, 2, 3}));
    strategy.schedule = ScheduleFamily(random() % 8);
    if (isVShaped(strategy.schedule))
      strategy.virtualStages = 2;
    if (strategy.schedule == ScheduleFamily::Interleaved)
      strategy.virtualStages = among({1, 2});
    spreadEvenly(strategy, workload.unitCount(), Recompute(random() % 3));
    chooseLayouts(strategy, context());
    return strategy;
  }

  /// Random strategies that verify.
  std::vector<Strategy> strategies(size_t count) {
    std::vector<Strategy> all;
    while (all.size() < count)
      if (Strategy strategy = randomStrategy();
          strategy.verify(workload).empty())
        all.push_back(std::move(strategy));
    return all;
  }

  uint64_t seed = test::firstSeed();
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "seed " + std::to_string(seed)};
  std::mt19937_64 random{seed};
  TransformerSizes sizes;
  Workload workload;
  StackProfile profile;
  Cluster cluster = builtin("64xh100");
  ClusterTopology topology{cluster};
};

TEST_F(StepEstimateTest, PartsAddUp) {
  for (const Strategy &strategy : strategies(60)) {
    SCOPED_TRACE(strategy.str());
    StepEstimate estimate = estimateStep(context(), strategy);
    const TimeSplit &time = estimate.time;
    Nanoseconds sum;
    for (Nanoseconds part :
         {time.compute, time.recompute, time.tensor, time.context, time.expert,
          time.data, time.pipeline, time.bubble, time.optimizer, time.straggler,
          time.fixed}) {
      EXPECT_GE(part, Nanoseconds(0));
      sum += part;
    }
    EXPECT_EQ(sum, estimate.step());
    EXPECT_EQ(int64_t(estimate.ranks.size()), strategy.pipeline);
    for (const StageEstimate &rank : estimate.ranks) {
      EXPECT_GT(rank.memory.total(), Bytes(0));
      EXPECT_LE(rank.memory.total().count() - rank.memoryLimit.count(),
                estimate.ranks[estimate.fullestRank].memory.total().count() -
                    estimate.ranks[estimate.fullestRank].memoryLimit.count());
    }
  }
}

TEST_F(StepEstimateTest, FasterLinksNeverHurt) {
  Cluster faster = cluster;
  for (auto &[name, link] : faster.linkTypes) {
    link.bytesPerSecond *= 2;
    for (CollectiveFit &fit : link.collectiveFits)
      fit.bytesPerSecond *= 2;
  }
  ClusterTopology fasterTopology(faster);
  for (const Strategy &strategy : strategies(60)) {
    SCOPED_TRACE(strategy.str());
    CostContext better{workload, fasterTopology, profile};
    EXPECT_LE(estimateStep(better, strategy).step(),
              estimateStep(context(), strategy).step());
  }
}

TEST_F(StepEstimateTest, FasterMemoryNeverHurts) {
  Cluster faster = cluster;
  for (auto &[name, device] : faster.deviceTypes)
    device.bytesPerSecond *= 2;
  ClusterTopology fasterTopology(faster);
  for (const Strategy &strategy : strategies(30)) {
    SCOPED_TRACE(strategy.str());
    CostContext better{workload, fasterTopology, profile};
    EXPECT_LE(estimateStep(better, strategy).step(),
              estimateStep(context(), strategy).step());
  }
}

TEST_F(StepEstimateTest, ZeroStagesNeverHoldMore) {
  for (Strategy strategy : strategies(20)) {
    SCOPED_TRACE(strategy.str());
    strategy.zeroStage = 0;
    StepEstimate before = estimateStep(context(), strategy);
    for (int stage = 1; stage <= 3; ++stage) {
      strategy.zeroStage = stage;
      StepEstimate after = estimateStep(context(), strategy);
      for (size_t rank = 0; rank < after.ranks.size(); ++rank) {
        const MemorySplit &more = before.ranks[rank].memory;
        const MemorySplit &less = after.ranks[rank].memory;
        EXPECT_LE(less.parameters, more.parameters);
        EXPECT_LE(less.gradients, more.gradients);
        EXPECT_LE(less.optimizerState, more.optimizerState);
        EXPECT_EQ(less.activations, more.activations);
      }
      before = after;
    }
  }
}

TEST_F(StepEstimateTest, RecomputationTradesTimeForMemory) {
  for (Strategy strategy : strategies(20)) {
    SCOPED_TRACE(strategy.str());
    auto with = [&](Recompute choice) {
      for (Stage &stage : strategy.stages)
        std::ranges::fill(stage.recompute, choice);
      return estimateStep(context(), strategy);
    };
    StepEstimate none = with(Recompute::None), full = with(Recompute::Full);
    EXPECT_GT(full.step(), none.step());
    EXPECT_EQ(none.time.recompute, Nanoseconds(0));
    for (size_t rank = 0; rank < none.ranks.size(); ++rank)
      EXPECT_LE(full.ranks[rank].memory.activations,
                none.ranks[rank].memory.activations);
  }
}

TEST_F(StepEstimateTest, OneDeviceByHand) {
  profile.stragglerPerDoubling = 0;
  profile.fixedMillisecondsPerStep = 7;
  Strategy strategy;
  strategy.microBatch = 2;
  spreadEvenly(strategy, workload.unitCount(), Recompute::None);
  chooseLayouts(strategy, context());
  ASSERT_EQ(strategy.verify(workload), "");
  StepEstimate estimate = estimateStep(context(), strategy);

  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting = unitSetting(context(), strategy, 0);
  UnitCosts sum;
  for (const Segment &segment : workload.segments) {
    UnitCostModel model(workload, segment.block, setting, kernels, collectives);
    UnitCosts unit = model.price(strategy.layouts[segment.block]);
    for (int64_t i = 0; i < segment.count; ++i)
      sum = sum + unit;
  }
  int64_t microBatches = sizes.globalBatch / 2;
  EXPECT_EQ(estimate.time.compute,
            (sum.forward + sum.backwardInput + sum.backwardWeight) *
                microBatches);
  EXPECT_EQ(sum.denseParameters, workload.parameterCount());
  Bytes moved(int64_t(profile.optimizerBytesPerParameter *
                      double(workload.parameterCount())));
  EXPECT_EQ(estimate.time.optimizer, kernels.memoryBound(moved));
  EXPECT_EQ(estimate.step(), estimate.time.compute + estimate.time.optimizer +
                                 Nanoseconds(7'000'000));
  const MemorySplit &memory = estimate.ranks[0].memory;
  EXPECT_EQ(memory.parameters, Bytes(2) * workload.parameterCount());
  EXPECT_EQ(
      memory.activations.count(),
      std::llround(double(sum.saved[0].count()) * profile.activationFactor));
}

TEST_F(StepEstimateTest, TiedParametersCountOnceOnOneRank) {
  Strategy strategy;
  spreadEvenly(strategy, workload.unitCount(), Recompute::None);
  workload = transformer(sizes, true);
  chooseLayouts(strategy, context());
  EXPECT_EQ(estimateStep(context(), strategy).ranks[0].memory.parameters,
            Bytes(2) * workload.parameterCount());
}

// The layers are one, so a rank has it once if it has a layer at all.
TEST_F(StepEstimateTest, RecurrentLayersCountOncePerRank) {
  workload = transformer(sizes, true, true);
  auto elementsOf = [&](BlockIndex block) {
    int64_t sum = 0;
    for (TensorIndex parameter : workload.blocks[block].parameters)
      sum += workload.blocks[block].tensors[parameter].elementCount();
    return sum;
  };
  int64_t layer = elementsOf(1), norm = sizes.hidden;
  EXPECT_EQ(workload.parameterCount(), elementsOf(0) + layer + norm);
  for (ScheduleFamily schedule :
       {ScheduleFamily::OneForwardOneBackward, ScheduleFamily::ZeroBubbleV}) {
    bool isFolded = schedule == ScheduleFamily::ZeroBubbleV;
    Strategy strategy;
    strategy.schedule = schedule;
    strategy.pipeline = 2;
    strategy.virtualStages = isFolded ? 2 : 1;
    spreadEvenly(strategy, workload.unitCount(), Recompute::None);
    chooseLayouts(strategy, context());
    StepEstimate estimate = estimateStep(context(), strategy);
    // The first rank of a folded pipeline has both ends, and the table once.
    Bytes first = estimate.ranks[0].memory.parameters;
    Bytes second = estimate.ranks[1].memory.parameters;
    EXPECT_EQ(first,
              Bytes(2) * (elementsOf(0) + layer + (isFolded ? norm : 0)));
    EXPECT_EQ(second,
              Bytes(2) * (isFolded ? layer : layer + norm + elementsOf(0)));
    double state = double(first.count()) / 2 * profile.stateBytesPerParameter;
    EXPECT_EQ(estimate.ranks[0].memory.optimizerState.count(),
              int64_t(std::ceil(state)));
  }
}

// The table of tied ends is on two of the ranks, which exchange its gradients;
// on one rank where the pipeline is folded.
TEST_F(StepEstimateTest, RanksExchangeGradientsOfWhatTheyShare) {
  Workload separate = workload;
  Workload tied = transformer(sizes, true);
  for (ScheduleFamily schedule :
       {ScheduleFamily::OneForwardOneBackward, ScheduleFamily::ZeroBubbleV})
    for (int zero : {0, 2, 3})
      for (bool once : {false, true}) {
        bool isFolded = schedule == ScheduleFamily::ZeroBubbleV;
        profile.sharedUpdatesOnce = once;
        Strategy strategy;
        strategy.schedule = schedule;
        strategy.pipeline = 4;
        strategy.data = 2;
        strategy.zeroStage = zero;
        strategy.virtualStages = isFolded ? 2 : 1;
        spreadEvenly(strategy, workload.unitCount(), Recompute::None);
        workload = separate;
        chooseLayouts(strategy, context());
        StepEstimate apart = estimateStep(context(), strategy);
        workload = tied;
        StepEstimate together = estimateStep(context(), strategy);
        SCOPED_TRACE(strategy.str());

        int64_t table = sizes.hidden * sizes.vocabulary;
        auto message = [&](double bytesEach, int64_t parts) {
          Bytes bytes(int64_t(double(table) * bytesEach) / parts);
          return CollectiveTimes(cluster, profile)
              .time(CollectiveOp::SendReceive,
                    AxisPaths(topology, strategy).axis(PlanAxis::Pipeline, 0),
                    bytes)
              .time;
        };
        // A micro-batch of ZeRO-2 leaves each rank its shard, and parameters of
        // ZeRO-3 are kept in shards.
        double gradients = profile.gradientMessageBytes / (zero > 1 ? 2 : 1);
        Nanoseconds expected =
            once ? message(gradients, 1) + message(zero > 2 ? 1.0 : 2.0, 1)
                 : message(gradients, 2) * 2;
        if (isFolded)
          expected = {};
        Nanoseconds more = together.time.data - apart.time.data;
        // The fold has the table once: less to reduce.
        if (isFolded)
          EXPECT_LE(more, expected);
        else
          EXPECT_EQ(more, expected);
      }
}

// Each of the ranks has the one layer, and all of them sum up its gradients.
TEST_F(StepEstimateTest, ManyRanksShareOneLayer) {
  workload = transformer(sizes, true, true);
  Strategy strategy;
  strategy.pipeline = 4;
  spreadEvenly(strategy, workload.unitCount(), Recompute::None);
  chooseLayouts(strategy, context());
  int64_t layer = 0, table = sizes.hidden * sizes.vocabulary;
  for (TensorIndex parameter : workload.blocks[1].parameters)
    layer += workload.blocks[1].tensors[parameter].elementCount();
  auto message = [&](int64_t elements, int64_t parts) {
    Bytes bytes(ceilDivide(
        int64_t(double(elements) * profile.gradientMessageBytes), parts));
    return CollectiveTimes(cluster, profile)
        .time(CollectiveOp::SendReceive,
              AxisPaths(topology, strategy).axis(PlanAxis::Pipeline, 0), bytes)
        .time;
  };
  EXPECT_EQ(estimateStep(context(), strategy).time.data,
            message(layer, 4) * 6 + message(table, 2) * 2);
}

TEST_F(StepEstimateTest, FirstStagesHoldMostMicroBatches) {
  Strategy strategy;
  strategy.pipeline = 4;
  spreadEvenly(strategy, workload.unitCount(), Recompute::None);
  chooseLayouts(strategy, context());
  StepEstimate estimate = estimateStep(context(), strategy);
  for (int64_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(estimate.ranks[size_t(rank)].inFlight, 4 - rank);
  strategy.schedule = ScheduleFamily::GPipe;
  EXPECT_EQ(estimateStep(context(), strategy).ranks[3].inFlight,
            sizes.globalBatch);
}

} // namespace
} // namespace shardsmith
