// SPDX-License-Identifier: Apache-2.0
//
// Layers of transformers, against what the literature says about them and
// against sums made by hand.

#include "../TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <gtest/gtest.h>

#include <set>

#include <algorithm>

namespace shardsmith {
namespace {

using namespace workload;

constexpr BlockIndex layer = 1;

class UnitCostsTest : public testing::Test {
protected:
  UnitCostsTest()
      : cluster(*findCluster("8xh100").cluster), topology(cluster),
        kernels(topology.deviceType(0), profile),
        collectives(cluster, profile) {
    profile.layerForwardMicroseconds = 0;
  }

  UnitSetting setting(int64_t tensor, bool sequenceParallel = true) {
    UnitSetting setting;
    setting.tensor = tensor;
    setting.sequenceParallel = sequenceParallel;
    if (tensor > 1)
      setting.paths.tensor = topology.path(1, tensor);
    return setting;
  }

  UnitCostModel model(const UnitSetting &setting, BlockIndex block = layer) {
    return UnitCostModel(workload, block, setting, kernels, collectives);
  }

  /// The entry with most of the parameters split, fastest first.
  const BlockEntry &leanest(const std::vector<BlockEntry> &table,
                            TensorLayout border) {
    const BlockEntry *best = nullptr;
    for (const BlockEntry &entry : table)
      if (entry.inputs[0] == border && entry.outputs[0] == border &&
          (!best || entry.costs.denseParameters < best->costs.denseParameters))
        best = &entry;
    return *best;
  }

  Nanoseconds onTensorAxis(const UnitSetting &setting, CollectiveOp op,
                           Bytes bytes) {
    return collectives.time(op, setting.paths.tensor.paths()[0], bytes).time;
  }

  std::string splitOf(const BlockEntry &entry, const std::string &name) {
    const Block &block = workload.blocks[layer];
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      if (block.ops[op].name == name)
        return entry.layout.ops[op].factor
                   ? block.ops[op].factors[*entry.layout.ops[op].factor].name
                   : "";
    return "no such op";
  }

  TransformerSizes sizes;
  Workload workload = transformer(sizes);
  StackProfile profile;
  Cluster cluster;
  ClusterTopology topology;
  KernelTimes kernels;
  CollectiveTimes collectives;
};

TEST_F(UnitCostsTest, TheHandWrittenModelVerifies) {
  EXPECT_EQ(workload.verify(), "");
}

// arXiv:1909.08053: columns then rows of the weights split, two all-reduces of
// the activations forward and two backward.
TEST_F(UnitCostsTest, FindsTensorParallelism) {
  UnitSetting eight = setting(8, false);
  BlockEntry entry =
      leanest(blockTable(model(eight), true), TensorLayout::whole());
  for (const char *name : {"wq", "wk", "wv", "attention", "wo"})
    EXPECT_EQ(splitOf(entry, name), "a") << name;
  for (const char *name : {"w1", "activation", "w2"})
    EXPECT_EQ(splitOf(entry, name), "f") << name;

  Bytes activations(2 * sizes.positions * sizes.hidden);
  Nanoseconds sums =
      onTensorAxis(eight, CollectiveOp::AllReduce, activations) * 2;
  EXPECT_EQ(entry.costs.forwardCommunication.sum(), sums);
  EXPECT_EQ(entry.costs.backwardCommunication.sum(), sums);
  int64_t h = sizes.hidden, f = sizes.feedForward;
  EXPECT_EQ(entry.costs.denseParameters, (4 * h * h + 2 * h * f) / 8 + 2 * h);
  EXPECT_EQ(entry.costs.partialParameters, 0);
}

// arXiv:2205.05198: between the products positions are split; a gather before
// and a scatter behind each pair of products. The gradients of the norms'
// weights are partial.
TEST_F(UnitCostsTest, FindsSequenceParallelism) {
  UnitSetting eight = setting(8);
  constexpr unsigned positions = 1;
  Bytes activations(2 * sizes.positions * sizes.hidden);
  Nanoseconds pair =
      onTensorAxis(eight, CollectiveOp::AllGather, activations) +
      onTensorAxis(eight, CollectiveOp::ReduceScatter, activations);
  std::vector<BlockEntry> table = blockTable(model(eight), true);
  auto megatron = std::ranges::find_if(table, [&](const BlockEntry &entry) {
    return entry.inputs[0] == TensorLayout::split(positions) &&
           splitOf(entry, "norm1") == "s" && splitOf(entry, "norm2") == "s" &&
           splitOf(entry, "wq") == "a" && splitOf(entry, "wo") == "a" &&
           splitOf(entry, "w1") == "f" && splitOf(entry, "w2") == "f";
  });
  ASSERT_NE(megatron, table.end());
  EXPECT_EQ(megatron->costs.forwardCommunication.sum(), pair * 2);
  EXPECT_EQ(megatron->costs.backwardCommunication.sum(), pair * 2);
  EXPECT_EQ(megatron->costs.partialParameters, 2 * sizes.hidden);
}

// As other runtimes do: whole, or split by positions.
TEST_F(UnitCostsTest, FeaturesBetweenProductsMayStayTogether) {
  auto bordersOf = [&](const std::vector<BlockEntry> &table) {
    std::set<std::pair<TensorLayout, TensorLayout>> borders;
    for (const BlockEntry &entry : table)
      borders.emplace(entry.inputs[0], entry.outputs[0]);
    return borders.size();
  };
  UnitSetting together = setting(8);
  together.splitsFeatures = false;
  std::vector<BlockEntry> any = blockTable(model(setting(8)), true),
                          few = blockTable(model(together), true);
  EXPECT_EQ(bordersOf(any), 3u);
  EXPECT_EQ(bordersOf(few), 2u);
  for (const BlockEntry &entry : few)
    for (const char *name : {"wq", "wk", "wv", "wo"})
      EXPECT_TRUE(splitOf(entry, name) == "a" || splitOf(entry, name) == "s" ||
                  splitOf(entry, name).empty())
          << name << " by " << splitOf(entry, name);
  EXPECT_EQ(leanest(few, TensorLayout::whole()).costs.denseParameters,
            leanest(any, TensorLayout::whole()).costs.denseParameters);
}

// The formulas of arXiv:2205.05198, table 2, in bytes per layer.
TEST_F(UnitCostsTest, SavedActivationsFollowTheFormulas) {
  profile.fusedAttention = false;
  double sbh = double(sizes.positions * sizes.hidden);
  double scores =
      5.0 * double(sizes.heads * sizes.positions) / double(sizes.hidden);
  UnitCosts alone =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  EXPECT_EQ(double(alone.saved[size_t(Recompute::None)].count()),
            sbh * (34 + scores));
  EXPECT_EQ(double(alone.saved[size_t(Recompute::Selective)].count()),
            sbh * 34);
  EXPECT_EQ(double(alone.saved[size_t(Recompute::Full)].count()), sbh * 2);

  for (int64_t t : {2, 4, 8}) {
    BlockEntry plain = leanest(blockTable(model(setting(t, false)), true),
                               TensorLayout::whole());
    EXPECT_EQ(double(plain.costs.saved[size_t(Recompute::None)].count()),
              sbh * (10 + 24.0 / double(t) + scores / double(t)));
    BlockEntry sequence =
        leanest(blockTable(model(setting(t)), true), TensorLayout::split(1));
    EXPECT_EQ(double(sequence.costs.saved[size_t(Recompute::None)].count()),
              sbh / double(t) * (34 + scores));
  }
}

TEST_F(UnitCostsTest, KernelsOfALayerAddUp) {
  profile.elementwiseTraffic = 1;
  int64_t s = sizes.positions, h = sizes.hidden, f = sizes.feedForward;
  ElementType type = ElementType::BF16;
  auto product = [&](int64_t n, int64_t k) {
    return kernels.matmul(1, s, n, k, type);
  };
  KernelTimes::AttentionSize attention{
      1, sizes.heads, sizes.heads, s, s, h / sizes.heads, h / sizes.heads, 0.5};
  Bytes rows(2 * s * h), wide(2 * s * f), mask(s * h);
  auto norm = Bytes(2 * h) + rows * 2;
  Nanoseconds forward = product(h, h) * 4 + product(f, h) + product(h, f) +
                        kernels.attentionForward(attention, type) +
                        kernels.memoryBound(norm) * 2 +
                        kernels.memoryBound(rows * 3 + mask) * 2 +
                        kernels.memoryBound(wide * 2);
  UnitCosts costs =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  EXPECT_EQ(costs.forward, forward);

  Nanoseconds weights = kernels.matmul(1, h, h, s, type) * 4 +
                        kernels.matmul(1, h, f, s, type) +
                        kernels.matmul(1, f, h, s, type);
  EXPECT_EQ(costs.backwardWeight, weights);
  Nanoseconds inputs = product(h, h) * 4 + product(h, f) + product(f, h) +
                       kernels.attentionBackward(attention, type) +
                       kernels.memoryBound(norm * 2) * 2 +
                       kernels.memoryBound((rows * 3 + mask) * 2) * 2 +
                       kernels.memoryBound(wide * 4);
  EXPECT_EQ(costs.backwardInput, inputs);
  EXPECT_EQ(costs.recompute[size_t(Recompute::Full)], forward);
  EXPECT_EQ(costs.recompute[size_t(Recompute::Selective)], Nanoseconds(0));
}

TEST_F(UnitCostsTest, SeparateAttentionKernelsAreRecomputedSelectively) {
  profile.fusedAttention = false;
  int64_t s = sizes.positions, d = sizes.hidden / sizes.heads;
  KernelTimes::AttentionSize attention{1, sizes.heads, sizes.heads, s,
                                       s, d,           d,           0.5};
  UnitCosts costs =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  EXPECT_EQ(costs.recompute[size_t(Recompute::Selective)],
            kernels.attentionForward(attention, ElementType::BF16));
}

// torchtitan's selective checkpoints: q, v and up are the first, third and
// fifth product; down, the sixth, leads to nothing that is read.
TEST_F(UnitCostsTest, SelectiveRecomputationMayKeepProducts) {
  sizes.dropout = false;
  workload = transformer(sizes);
  profile.elementwiseTraffic = 1;
  profile.selectiveKeepsProducts = true;
  int64_t s = sizes.positions, h = sizes.hidden, f = sizes.feedForward;
  UnitCosts costs =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  Bytes rows(2 * s * h), wide(2 * s * f);
  EXPECT_EQ(costs.saved[size_t(Recompute::Selective)], rows * 4 + wide);
  Nanoseconds again = kernels.matmul(1, s, h, h, ElementType::BF16) * 2 +
                      kernels.memoryBound(Bytes(2 * h) + rows * 2) * 2 +
                      kernels.memoryBound(rows * 3) +
                      kernels.memoryBound(wide * 2);
  EXPECT_EQ(costs.recompute[size_t(Recompute::Selective)], again);

  // Separate kernels keep no probabilities, so that attention runs again.
  profile.fusedAttention = false;
  UnitCosts separate =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  EXPECT_EQ(separate.saved[size_t(Recompute::Selective)], rows * 4 + wide);
  EXPECT_GT(separate.recompute[size_t(Recompute::Selective)], again);
}

TEST_F(UnitCostsTest, KeptProductsAreKeptAsTheirSums) {
  sizes.dropout = false;
  workload = transformer(sizes);
  profile.selectiveKeepsProducts = true;
  UnitSetting eight = setting(8);
  BlockEntry entry =
      leanest(blockTable(model(eight), true), TensorLayout::split(1));
  // Besides what one rank keeps, the sum that the projection scatters.
  Bytes rows(2 * sizes.positions * sizes.hidden / 8);
  Bytes wide(2 * sizes.positions * sizes.feedForward / 8);
  EXPECT_EQ(entry.costs.saved[size_t(Recompute::Selective)], rows * 5 + wide);
  UnitCosts full = model(eight).price(entry.layout);
  Nanoseconds scatter =
      onTensorAxis(eight, CollectiveOp::ReduceScatter, rows * 8);
  EXPECT_LT(full.recompute[size_t(Recompute::Selective)] + scatter * 2,
            full.recompute[size_t(Recompute::Full)]);
}

TEST_F(UnitCostsTest, LossesHoldCopiesOfTheirLogits) {
  constexpr BlockIndex head = 2;
  auto transient = [&](BlockIndex block, double bytesPerLogit) {
    profile.lossBytesPerLogit = bytesPerLogit;
    BlockLayout layout = unsplitLayout(workload.blocks[block]);
    return model(setting(1), block).price(layout).transient;
  };
  Bytes copies(8 * sizes.positions * sizes.vocabulary);
  EXPECT_EQ(transient(head, 8), copies);
  EXPECT_LT(transient(head, 0), copies);
  // Norms have results as long as their rows.
  EXPECT_EQ(transient(layer, 8), transient(layer, 0));
}

TEST_F(UnitCostsTest, BlockScalesSlowProductsOfEightBits) {
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  profile.blockScaleRate = 0.8;
  for (ElementType type : {ElementType::BF16, ElementType::F8}) {
    workload.computeType = type;
    profile.blockScales = false;
    UnitCosts whole = model(setting(1)).price(layout);
    profile.blockScales = true;
    UnitCosts blocks = model(setting(1)).price(layout);
    if (type == ElementType::F8)
      EXPECT_GT(blocks.forward, whole.forward);
    else
      EXPECT_EQ(blocks, whole);
  }
}

TEST_F(UnitCostsTest, RecomputationMayStopBeforeWhatNobodyReads) {
  // Dropout behind the last product would keep a mask.
  sizes.dropout = false;
  workload = transformer(sizes);
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  UnitCosts whole = model(setting(1)).price(layout);
  profile.recomputeStopsEarly = true;
  UnitCosts early = model(setting(1)).price(layout);
  // The last product's result goes into the residual sum and nowhere else.
  int64_t s = sizes.positions;
  Nanoseconds last =
      kernels.matmul(1, s, sizes.hidden, sizes.feedForward, ElementType::BF16);
  Nanoseconds difference = whole.recompute[size_t(Recompute::Full)] -
                           early.recompute[size_t(Recompute::Full)];
  EXPECT_GE(difference, last);
  EXPECT_LE(difference, last + kernels.memoryBound(early.outputBytes * 4));
  UnitCosts same = early;
  same.recompute = whole.recompute;
  EXPECT_EQ(same, whole);
}

TEST_F(UnitCostsTest, StoppingEarlySavesExchangesToo) {
  sizes.dropout = false;
  workload = transformer(sizes);
  for (int64_t tensor : {2, 4, 8})
    for (const BlockEntry &entry : blockTable(model(setting(tensor)))) {
      profile.recomputeStopsEarly = false;
      UnitCosts whole = model(setting(tensor)).price(entry.layout);
      profile.recomputeStopsEarly = true;
      UnitCosts early = model(setting(tensor)).price(entry.layout);
      EXPECT_LT(early.recompute[size_t(Recompute::Full)],
                whole.recompute[size_t(Recompute::Full)]);
      EXPECT_EQ(early.saved, whole.saved);
    }
}

TEST_F(UnitCostsTest, LaunchFloorHoldsForTheWholeLayer) {
  profile.layerForwardMicroseconds = 1e5;
  UnitCosts costs =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  Nanoseconds floor(100'000'000);
  EXPECT_GE(costs.forward, floor);
  EXPECT_GE(costs.backward(Recompute::None),
            Nanoseconds(int64_t(1e8 * profile.layerBackwardRatio)));
  EXPECT_GE(costs.recompute[size_t(Recompute::Full)].count(),
            floor.count() * 9 / 10);
}

TEST_F(UnitCostsTest, GapsBetweenKernelsDoNotShrinkWithTheWork) {
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  auto both = [&](int64_t microBatch, double gaps) {
    profile.kernelGapRatio = gaps;
    UnitSetting one = setting(1);
    one.microBatch = microBatch;
    UnitCosts costs = model(one).price(layout);
    return (costs.forward + costs.backward(Recompute::Full)).count();
  };
  profile.layerForwardMicroseconds = 10;
  // Forward, backward and the forward pass again.
  double host = 10e3 * (2 + profile.layerBackwardRatio);
  for (int64_t microBatch : {16, 64}) {
    double added = double(both(microBatch, 0.5) - both(microBatch, 0));
    EXPECT_NEAR(added, 0.5 * host, 0.01 * host);
  }
  for (double gaps : {0.0, 0.2, 0.4, 0.8})
    EXPECT_LT(both(1, gaps), both(1, gaps + 0.1));
  profile.layerForwardMicroseconds = 0;
  EXPECT_EQ(both(1, 0.5), both(1, 0));
}

TEST_F(UnitCostsTest, MixturesKeepTheHostBusy) {
  Block &block = workload.blocks[layer];
  BlockLayout layout = unsplitLayout(block);
  auto forward = [&](int64_t microBatch, double microseconds) {
    profile.expertLayerMicroseconds = microseconds;
    UnitSetting one = setting(1);
    one.microBatch = microBatch;
    return double(model(one).price(layout).forward.count());
  };
  profile.kernelGapRatio = 0;
  EXPECT_EQ(forward(1, 1e4), forward(1, 0));
  // A pass over the activations stands for the dispatch.
  auto norm = std::ranges::find(block.ops, "norm2", &Op::name);
  norm->exchange = ExchangeParts{};
  EXPECT_GE(forward(1, 1e4), 1e7);
  // What the device does in more time hides it.
  EXPECT_LT(forward(64, 100) - forward(64, 0), 0.05e6);
}

TEST_F(UnitCostsTest, VocabularyIsSplitWithoutGatheringLogits) {
  UnitSetting eight = setting(8);
  constexpr BlockIndex head = 2;
  std::vector<BlockEntry> table = blockTable(model(eight, head));
  const BlockEntry *best = nullptr;
  for (const BlockEntry &entry : table)
    if (entry.inputs[0] == TensorLayout::whole() &&
        entry.costs.denseParameters < sizes.vocabulary * sizes.hidden / 7 &&
        (!best || entry.costs.forwardCommunication.sum() <
                      best->costs.forwardCommunication.sum()))
      best = &entry;
  ASSERT_TRUE(best);
  Bytes statistics(2 * 4 * sizes.positions);
  EXPECT_EQ(best->costs.forwardCommunication.sum(),
            onTensorAxis(eight, CollectiveOp::AllReduce, statistics));
  // A loss that ranks share may keep more copies.
  profile.splitLossBytesPerLogit = 14;
  EXPECT_EQ(model(eight, head).price(best->layout).transient,
            Bytes(14 * sizes.positions * sizes.vocabulary / 8));
}

TEST_F(UnitCostsTest, RingHidesBehindAttention) {
  profile.contextExposure = 0;
  profile.elementwiseTraffic = 1;
  UnitSetting four = setting(1);
  four.context = 4;
  four.paths.context = topology.path(1, 4);
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  UnitCosts costs = model(four).price(layout);
  int64_t s = sizes.positions / 4, d = sizes.hidden / sizes.heads;
  KernelTimes::AttentionSize attention{1, sizes.heads, sizes.heads, s,
                                       s, d,           d,           0.5};
  Bytes keysAndValues(2 * 2 * s * sizes.hidden);
  Nanoseconds ring = collectives
                         .time(CollectiveOp::SendReceive,
                               four.paths.context.paths()[0], keysAndValues)
                         .time *
                     3;
  // Four kernels, and three times the results are added up.
  Nanoseconds forward =
      kernels.attentionForward(attention, ElementType::BF16) * 4 +
      kernels.memoryBound(Bytes(3 * 2 * s * sizes.hidden)) * 3;
  EXPECT_EQ(costs.forwardCommunication.context,
            std::max(Nanoseconds(0), ring - forward));
  profile.contextExposure = 1;
  EXPECT_EQ(model(four).price(layout).forwardCommunication.context, ring);
}

TEST_F(UnitCostsTest, CompiledRingsSendSumsInF32) {
  UnitSetting four = setting(1);
  four.context = 4;
  four.paths.context = topology.path(1, 4);
  profile.contextExposure = 1;
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  Bytes keysAndValues(2 * 2 * sizes.positions / 4 * sizes.hidden);
  auto ring = [&](Bytes bytes) {
    return collectives
               .time(CollectiveOp::SendReceive, four.paths.context.paths()[0],
                     bytes)
               .time *
           3;
  };
  UnitCosts other = model(four).price(layout);
  EXPECT_EQ(other.backwardCommunication.context, ring(keysAndValues) * 2);
  profile.compiledRings = true;
  UnitCosts own = model(four).price(layout);
  EXPECT_EQ(own.forwardCommunication, other.forwardCommunication);
  EXPECT_EQ(own.backwardCommunication.context,
            ring(keysAndValues) + ring(keysAndValues * 2));
  EXPECT_EQ(own.traffic.context, keysAndValues * 3 * 4);
}

// Of four parts in a row the last one sees three others whole, its own to a
// half. Dealt out it sees half of each.
TEST_F(UnitCostsTest, CompiledRingsAreBalancedWhereTheGraphLetsThem) {
  UnitSetting four = setting(1);
  four.context = 4;
  four.paths.context = topology.path(1, 4);
  BlockLayout layout = unsplitLayout(workload.blocks[layer]);
  UnitCosts dealt = model(four).price(layout);
  profile.compiledRings = true;
  EXPECT_EQ(model(four).price(layout).forward, dealt.forward);
  workload.positionObstacle = "a cumulative sum";
  UnitCosts inOrder = model(four).price(layout);
  int64_t s = sizes.positions / 4, d = sizes.hidden / sizes.heads;
  KernelTimes::AttentionSize half{1, sizes.heads, sizes.heads, s, s, d, d, 0.5};
  KernelTimes::AttentionSize all = half;
  all.density = 1;
  EXPECT_EQ(inOrder.forward - dealt.forward,
            (kernels.attentionForward(all, ElementType::BF16) -
             kernels.attentionForward(half, ElementType::BF16)) *
                3);
  EXPECT_EQ(inOrder.backwardInput - dealt.backwardInput,
            (kernels.attentionBackward(all, ElementType::BF16) -
             kernels.attentionBackward(half, ElementType::BF16)) *
                3);
}

TEST_F(UnitCostsTest, AllToAllNeedsHeadsToDivide) {
  UnitSetting setting = this->setting(1);
  setting.contextMethod = ContextMethod::AllToAll;
  setting.context = 4;
  setting.paths.context = topology.path(1, 4);
  EXPECT_EQ(blockTable(model(setting), true).size(), 1u);
  setting.context = 3;
  setting.paths.context = topology.path(1, 3);
  EXPECT_TRUE(blockTable(model(setting), true).empty());
}

TEST_F(UnitCostsTest, SavedAndTimesGrowWithTheMicroBatch) {
  for (int64_t t : {1, 2, 8}) {
    UnitSetting one = setting(t), two = setting(t);
    two.microBatch = 2;
    for (const BlockEntry &entry : blockTable(model(one), true)) {
      UnitCosts more = model(two).price(entry.layout);
      EXPECT_GE(more.forward, entry.costs.forward);
      EXPECT_GE(more.backwardInput, entry.costs.backwardInput);
      EXPECT_GE(more.forwardCommunication.sum(),
                entry.costs.forwardCommunication.sum());
      EXPECT_EQ(more.saved[0], entry.costs.saved[0] * 2);
      EXPECT_EQ(more.denseParameters, entry.costs.denseParameters);
    }
  }
}

TEST_F(UnitCostsTest, SplittingNeverRaisesWhatARankHolds) {
  UnitCosts whole =
      model(setting(1)).price(unsplitLayout(workload.blocks[layer]));
  for (int64_t t : {2, 3, 5, 8})
    for (const BlockEntry &entry : blockTable(model(setting(t)), true)) {
      for (int choice = 0; choice < recomputeChoices; ++choice)
        EXPECT_LE(entry.costs.saved[choice], whole.saved[choice]);
      EXPECT_LE(entry.costs.denseParameters, whole.denseParameters);
      EXPECT_LE(entry.costs.partialParameters, entry.costs.denseParameters);
    }
}

} // namespace
} // namespace shardsmith
