// SPDX-License-Identifier: Apache-2.0
//
// The list of a unit's exchanges against their sums, for the blocks of all
// built-in models in layouts and settings that nobody chose.
// SHARDSMITH_LAYOUTS sets how many for each block, SHARDSMITH_TEST_SEED the
// first.

#include "../../FirstSeed.h"
#include "../TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

namespace shardsmith {
namespace {

using namespace workload;

size_t layoutCount() {
  const char *text = std::getenv("SHARDSMITH_LAYOUTS");
  return text ? size_t(std::strtoull(text, nullptr, 10)) : 12;
}

/// A setting, and layouts in it, without regard to their price.
class Draw {
public:
  Draw(uint64_t seed, const ClusterTopology &topology) : random(seed) {
    setting.tensor = oneOf({1, 2, 4, 8});
    setting.context = oneOf({1, 1, 2, 4});
    setting.expert = oneOf({1, 2, 4});
    setting.microBatch = oneOf({1, 2, 3});
    setting.sequenceParallel = oneOf({0, 1});
    setting.contextMethod =
        oneOf({0, 1}) ? ContextMethod::AllToAll : ContextMethod::Ring;
    auto path = [&](int64_t inner, int64_t size) {
      return size > 1 ? PathChoice(topology.path(inner, size)) : PathChoice();
    };
    setting.paths.tensor = path(1, setting.tensor);
    setting.paths.context = path(setting.tensor, setting.context);
    setting.paths.expert = path(setting.tensor, setting.expert);
  }

  BlockLayout layout(const Block &block, const BlockShapes &shapes) {
    BlockLayout drawn;
    std::vector<ReadingSet> readings(block.tensors.size());
    for (OpIndex op = 0; op < block.ops.size(); ++op) {
      std::vector<OpSplit> splits = shapes.splits(op);
      drawn.ops.push_back(splits[below(splits.size())]);
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        readings[block.ops[op].operands[i].tensor].insert(
            shapes.reading(op, drawn.ops.back(), i));
    }
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
      std::vector<TensorLayout> layouts = shapes.layouts(tensor);
      bool isParameter = block.tensors[tensor].role == TensorRole::Parameter;
      drawn.tensors.push_back(
          isParameter ? BlockShapes::parameterLayout(readings[tensor])
                      : layouts[below(layouts.size())]);
    }
    return drawn;
  }

  UnitSetting setting;

private:
  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }
  int64_t oneOf(std::vector<int64_t> values) {
    return values[below(values.size())];
  }

  std::mt19937_64 random;
};

/// Bytes on the links by what the collective is: an all-reduce sends all but
/// one part in each of two rounds, the others in one.
double trafficOf(const UnitExchange &exchange, int64_t ranks) {
  if (exchange.op == CollectiveOp::SendReceive)
    return double(exchange.bytes.count()) * double(exchange.rounds);
  double rounds = exchange.op == CollectiveOp::AllReduce ? 2 : 1;
  return rounds * double(exchange.bytes.count()) * double(ranks - 1) /
         double(ranks);
}

class UnitExchangesTest : public testing::Test {
protected:
  UnitExchangesTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Workload extract(const std::string &name) {
    auto module = buildModel(context, {.model = name});
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    llvm::Expected<Workload> workload = extractWorkload(**module);
    if (!workload) {
      ADD_FAILURE() << llvm::toString(workload.takeError());
      return {};
    }
    return std::move(*workload);
  }

  mlir::MLIRContext context;
  Cluster cluster = *findCluster("8x8xh100").cluster;
  ClusterTopology topology{cluster};
};

void expectOrdered(const std::vector<UnitExchange> &pass, bool isBackward) {
  double before = 0;
  for (const UnitExchange &exchange : pass) {
    EXPECT_EQ(exchange.isBackward, isBackward);
    EXPECT_GE(exchange.behind, before);
    EXPECT_LE(exchange.behind, 1);
    before = exchange.behind;
    if (isBackward)
      for (bool isRepeated : exchange.isRepeated)
        EXPECT_FALSE(isRepeated);
  }
}

TEST_F(UnitExchangesTest, TheListAddsUpToThePrices) {
  StackProfile profile;
  profile.selectiveKeepsProducts = true;
  std::map<std::pair<UnitAxis, CollectiveOp>, size_t> seen;
  size_t repeated = 0;
  uint64_t seed = test::firstSeed();
  for (const std::string &name : builtinModelNames()) {
    Workload workload = extract(name);
    for (BlockIndex block = 0; block < workload.blocks.size(); ++block)
      for (size_t drawn = 0; drawn < layoutCount(); ++drawn, ++seed) {
        SCOPED_TRACE(fmt::format("SHARDSMITH_TEST_SEED={}: {}", seed, name));
        Draw draw(seed, topology);
        // Some rings send gradients in f32, and steps that hide nothing.
        profile.compiledRings = seed % 2 == 0;
        profile.recomputeStopsEarly = seed % 3 == 0;
        KernelTimes kernels(topology.deviceType(0), profile);
        CollectiveTimes collectives(cluster, profile);
        UnitCostModel model(workload, block, draw.setting, kernels,
                            collectives);
        BlockLayout layout =
            draw.layout(workload.blocks[block], model.shapes());
        UnitCosts costs = model.price(layout);
        UnitExchanges list = model.exchangesOf(layout);
        // Listing leaves no trace in the prices.
        EXPECT_EQ(model.price(layout), costs);
        UnitCommunication forward, backward;
        PerUnitAxis<Bytes> traffic;
        PerUnitAxis<int64_t> ranks{draw.setting.tensor, draw.setting.context,
                                   draw.setting.expert};
        for (const auto *pass : {&list.forward, &list.backward})
          for (const UnitExchange &each : *pass) {
            (each.isBackward ? backward : forward)[each.axis] += each.time;
            traffic[each.axis] += each.traffic;
            EXPECT_NEAR(double(each.traffic.count()),
                        trafficOf(each, ranks[each.axis]),
                        2 + 1e-9 * double(each.traffic.count()));
            ++seen[{each.axis, each.op}];
            repeated += each.isRepeated[size_t(Recompute::Full)];
            EXPECT_FALSE(each.isRepeated[size_t(Recompute::None)]);
          }
        EXPECT_EQ(forward, costs.forwardCommunication);
        EXPECT_EQ(backward, costs.backwardCommunication);
        EXPECT_EQ(traffic, costs.traffic);
        expectOrdered(list.forward, false);
        expectOrdered(list.backward, true);
        EXPECT_GE(list.forwardOperations, 0);
        EXPECT_GT(list.forwardBytes, 0);
      }
  }
  EXPECT_GT(repeated, 0u);
  // Every kind of exchange that a unit may have was drawn.
  for (CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather,
                          CollectiveOp::ReduceScatter, CollectiveOp::AllToAll})
    EXPECT_GT((seen[{UnitAxis::Tensor, op}]), 0u) << nameOf(op);
  for (CollectiveOp op : {CollectiveOp::SendReceive, CollectiveOp::AllToAll})
    EXPECT_GT((seen[{UnitAxis::Context, op}]), 0u) << nameOf(op);
  EXPECT_GT((seen[{UnitAxis::Expert, CollectiveOp::AllToAll}]), 0u);
}

/// No built-in model sums positions, or needs all of them in an op.
TEST_F(UnitExchangesTest, PositionsAreSummedAndGathered) {
  BlockWriter writer("pool");
  writer.factor("b", 1, FactorRole::Batch)
      .factor("s", 1024, FactorRole::Sequence)
      .factor("h", 64);
  TensorIndex x = writer.saved("x", {{"b"}, {"s"}, {"h"}});
  TensorIndex sorted = writer.saved("sorted", {{"b"}, {"s"}, {"h"}});
  TensorIndex mean = writer.tensor("mean", {{"b"}, {"h"}});
  for (Factor &factor :
       writer.op(described::fused, "sort", {x}, {sorted}).factors)
    if (factor.name == "s")
      factor.kind = FactorKind::Whole;
  writer.op(described::fused, "mean", {sorted}, {mean});
  writer.block.inputs = {x};
  writer.block.outputs = {mean};
  Workload workload;
  workload.blocks = {writer.block};
  workload.segments = {{0, 1, {}}};
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting;
  setting.context = 4;
  setting.paths.context = PathChoice(topology.path(1, 4));
  UnitCostModel model(workload, 0, setting, kernels, collectives);
  BlockLayout layout = unsplitLayout(workload.blocks[0]);
  UnitCosts costs = model.price(layout);
  UnitExchanges list = model.exchangesOf(layout);
  constexpr int64_t whole = 1024 * 64 * 2, sum = 64 * 2;
  ASSERT_EQ(list.forward.size(), 2u);
  EXPECT_EQ(list.forward[0].op, CollectiveOp::AllGather);
  EXPECT_EQ(list.forward[0].bytes, Bytes(whole));
  EXPECT_EQ(list.forward[0].traffic, Bytes(whole / 4 * 3));
  EXPECT_EQ(list.forward[1].op, CollectiveOp::AllReduce);
  EXPECT_EQ(list.forward[1].bytes, Bytes(sum));
  EXPECT_EQ(list.forward[1].traffic, Bytes(sum / 4 * 3 * 2));
  ASSERT_EQ(list.backward.size(), 1u);
  EXPECT_EQ(list.backward[0].op, CollectiveOp::ReduceScatter);
  EXPECT_EQ(list.backward[0].traffic, Bytes(whole / 4 * 3));
  EXPECT_EQ(costs.forwardCommunication.context,
            list.forward[0].time + list.forward[1].time);
  EXPECT_EQ(costs.backwardCommunication.context, list.backward[0].time);
  EXPECT_EQ(costs.traffic.context, list.forward[0].traffic +
                                       list.forward[1].traffic +
                                       list.backward[0].traffic);
}

/// A product that splits its sum, in a layer that splits nothing else.
TEST_F(UnitExchangesTest, StandsBetweenTheKernelsItSeparates) {
  Workload workload = extract("llama3-8b");
  const Block *layer = nullptr;
  BlockIndex index = 0;
  for (BlockIndex i = 0; i < workload.blocks.size(); ++i)
    if (std::ranges::any_of(workload.blocks[i].ops,
                            [](const Op &op) { return !!op.attention; }))
      layer = &workload.blocks[i], index = i;
  ASSERT_TRUE(layer);
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting;
  setting.tensor = 8;
  setting.paths.tensor = PathChoice(topology.path(1, 8));
  UnitCostModel model(workload, index, setting, kernels, collectives);
  // The last product.
  BlockLayout layout = unsplitLayout(*layer);
  OpIndex product = 0;
  for (OpIndex i = 0; i < layer->ops.size(); ++i)
    if (layer->ops[i].isPlainProduct())
      product = i;
  for (OpSplit split : model.shapes().splits(product))
    if (split.factor && layer->ops[product].factors[*split.factor].kind ==
                            FactorKind::Reduction)
      layout.ops[product] = split;
  ASSERT_TRUE(layout.ops[product].factor);
  UnitExchanges list = model.exchangesOf(layout);
  // Its sum stands behind it, and a rank reads a part of its operand, whose
  // gradient is gathered behind the backward pass of the same op.
  ASSERT_FALSE(list.forward.empty());
  const UnitExchange &sum = list.forward.back();
  EXPECT_EQ(sum.op, CollectiveOp::AllReduce);
  double before = 0, all = 0;
  for (OpIndex i = 0; i < layer->ops.size(); ++i) {
    double each = double(model.op(i, layout.ops[i]).forward.count());
    before += i <= product ? each : 0;
    all += each;
  }
  EXPECT_NEAR(sum.behind, before / all, 1e-9);
  ASSERT_EQ(list.backward.size(), 1u);
  EXPECT_EQ(list.backward.front().op, CollectiveOp::AllGather);
  EXPECT_GT(list.backward.front().behind, 0);
  EXPECT_LT(list.backward.front().behind, 0.6);
}

} // namespace
} // namespace shardsmith
