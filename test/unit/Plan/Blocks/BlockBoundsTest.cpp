// SPDX-License-Identifier: Apache-2.0
//
// Bounds of a block's layouts against its table, and against all layouts.

#include "shardsmith/Plan/Blocks/BlockBounds.h"
#include "../../FirstSeed.h"
#include "BlockEnumeration.h"
#include "RandomBlock.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace shardsmith {
namespace {

using namespace workload;

/// No number of `least` is larger. Only sums of times are compared: how a unit
/// shares the wait for its launches between its passes differs by layout.
void expectLeast(const UnitCosts &least, const UnitCosts &unit) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    EXPECT_LE(least.time(Recompute(choice)), unit.time(Recompute(choice)))
        << "recompute " << choice;
    EXPECT_LE(least.saved[choice], unit.saved[choice])
        << "recompute " << choice;
  }
  EXPECT_LE(least.backwardWeight, unit.backwardWeight);
  EXPECT_LE(least.forwardCommunication.sum(), unit.forwardCommunication.sum());
  EXPECT_LE(least.backwardCommunication.sum(),
            unit.backwardCommunication.sum());
  EXPECT_LE(least.denseParameters, unit.denseParameters);
  EXPECT_LE(least.expertParameters, unit.expertParameters);
  EXPECT_LE(least.partialParameters, unit.partialParameters);
  EXPECT_LE(least.outputBytes, unit.outputBytes);
  EXPECT_LE(least.transient, unit.transient);
}

/// Random blocks and launch floors on one node.
class UnitIdeal : public testing::Test {
protected:
  uint64_t seed = test::firstSeed();
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "seed " + std::to_string(seed)};
  RandomBlock random{seed};
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology{cluster};
  StackProfile plain;
  CollectiveTimes collectives{cluster, plain};

  StackProfile randomProfile() {
    StackProfile profile;
    profile.layerForwardMicroseconds = double(random.below(3)) * 40;
    return profile;
  }
  UnitSetting settingOf(int64_t tensor) const {
    UnitSetting setting;
    setting.tensor = tensor;
    setting.paths.tensor = topology.path(1, tensor);
    return setting;
  }
};

TEST_F(UnitIdeal, IsBelowEveryLayout) {
  size_t single = 0;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    Workload workload = random.make();
    StackProfile profile = randomProfile();
    profile.recomputeStopsEarly = random.below(2);
    profile.selectiveKeepsProducts = random.below(2);
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitSetting setting = settingOf(1 + int64_t(random.below(4)));
    setting.context = 1 + int64_t(random.below(2));
    setting.paths.context = topology.path(setting.tensor, setting.context);
    setting.microBatch = 1 + int64_t(random.below(2));
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    std::vector<BlockEntry> table = blockTable(model);
    BlockBounds bounds(false);
    BlockBounds::Common common;
    UnitCosts least = bounds.least(model, common).costs;
    Nanoseconds ops = model.launches().finished(model.leastOps());
    for (const BlockEntry &entry : table) {
      expectLeast(least, entry.costs);
      EXPECT_LE(ops, entry.costs.time(Recompute::None));
      // Nothing is split, so nothing else is exchanged.
      if (setting.tensor == 1)
        EXPECT_EQ(ops, entry.costs.time(Recompute::None));
    }
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      Nanoseconds fastest = Nanoseconds::saturated();
      for (const BlockEntry &entry : table)
        fastest = std::min(fastest, entry.costs.time(Recompute(choice)));
      EXPECT_EQ(bounds.fastest(model, Recompute(choice), common), fastest);
    }
    // With one layout the least numbers are its own.
    if (table.size() == 1 && setting.tensor == 1) {
      ++single;
      EXPECT_EQ(least.saved, table[0].costs.saved);
      EXPECT_EQ(least.backwardWeight, table[0].costs.backwardWeight);
      EXPECT_EQ(least.denseParameters, table[0].costs.denseParameters);
      EXPECT_EQ(least.outputBytes, table[0].costs.outputBytes);
      EXPECT_EQ(least.transient, table[0].costs.transient);
    }
  }
  EXPECT_GT(single, 100u);
}

/// Sums that are beyond their limits are bounds, whatever is left of them.
TEST_F(UnitIdeal, IsBelowEveryLayoutOfABlockBeyondTheLimits) {
  size_t looser = 0;
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    Workload workload = random.make();
    StackProfile profile = randomProfile();
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitCostModel model(workload, 0, settingOf(2 + int64_t(random.below(3))),
                        kernels, collectives);
    bool repeatable = random.below(2);
    SumLimits limits;
    limits.entries = 0;
    limits.relaxedEntries = 1 + random.below(32);
    BlockBounds exact(repeatable), bounds(repeatable, limits);
    BlockBounds::Common known, common;
    UnitCosts least = bounds.least(model, common).costs;
    UnitCosts most = mostMemory(model, repeatable, limits);
    for (const BlockEntry &entry : blockTable(model, repeatable)) {
      expectLeast(least, entry.costs);
      for (size_t choice = 0; choice < recomputeChoices; ++choice)
        EXPECT_GE(most.saved[choice], entry.costs.saved[choice]);
      EXPECT_GE(most.transient, entry.costs.transient);
      EXPECT_GE(most.denseParameters, entry.costs.denseParameters);
      EXPECT_GE(most.outputBytes, entry.costs.outputBytes);
    }
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      Nanoseconds bound = bounds.fastest(model, Recompute(choice), common);
      Nanoseconds fastest = exact.fastest(model, Recompute(choice), known);
      EXPECT_LE(bound, fastest);
      looser += bound < fastest;
    }
  }
  // Else nothing was left out.
  EXPECT_GT(looser, 10u);
}

/// Some fused ops send rows to experts, and some products run them.
void addExperts(Block &block, RandomBlock &random) {
  std::vector<size_t> readers(block.tensors.size());
  for (const Op &op : block.ops)
    for (const TensorUse &use : op.operands)
      ++readers[use.tensor];
  for (Op &op : block.ops) {
    if (random.below(2))
      continue;
    if (op.isFused()) {
      op.exchange = ExchangeParts{};
      op.expertsPerToken = 1;
    } else if (op.product && readers[op.operands[1].tensor] == 1) {
      constexpr int64_t experts = 4;
      op.product->isPerExpert = true;
      op.factors.push_back(
          {"e", experts, FactorKind::PassThrough, FactorRole::Expert});
      TensorUse &weight = op.operands[1];
      weight.dims.insert(weight.dims.begin(),
                         {FactorIndex(op.factors.size() - 1)});
      std::vector<int64_t> &shape = block.tensors[weight.tensor].shape;
      shape.insert(shape.begin(), experts);
    }
  }
}

/// What one degree of the expert axis has found out serves the others.
TEST_F(UnitIdeal, IsTheSameWhicheverExpertDegreeComesFirst) {
  size_t seeing = 0, mixed = 0;
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    Workload workload = random.make();
    Block &block = workload.blocks[0];
    addExperts(block, random);
    auto sees = std::ranges::count_if(block.ops, &Op::seesExperts);
    seeing += sees > 0;
    mixed += sees > 0 && size_t(sees) < block.ops.size();
    StackProfile profile = randomProfile();
    KernelTimes kernels(topology.deviceType(0), profile);
    BlockBounds bounds(false);
    BlockBounds::Common common;
    std::vector<int64_t> degrees = {1, 2, 4};
    if (random.below(2))
      std::ranges::reverse(degrees);
    UnitSetting setting = settingOf(1 + int64_t(random.below(2)));
    for (int64_t expert : degrees) {
      setting.expert = expert;
      setting.paths.expert = topology.path(setting.tensor, expert);
      UnitCostModel model(workload, 0, setting, kernels, collectives);
      BlockBounds::Common fresh;
      auto shared = bounds.least(model, common);
      auto alone = bounds.least(model, fresh);
      EXPECT_EQ(shared.costs, alone.costs);
      EXPECT_EQ(shared.unfilled.least, alone.unfilled.least);
      std::vector<BlockEntry> table = blockTable(model);
      ASSERT_FALSE(table.empty());
      for (const BlockEntry &entry : table)
        expectLeast(shared.costs, entry.costs);
      for (size_t choice = 0; choice < recomputeChoices; ++choice) {
        Nanoseconds fastest = Nanoseconds::saturated();
        for (const BlockEntry &entry : table)
          fastest = std::min(fastest, entry.costs.time(Recompute(choice)));
        EXPECT_EQ(bounds.fastest(model, Recompute(choice), common), fastest);
        Nanoseconds without =
            bounds.fastestCommon(model, Recompute(choice), common) +
            model.leastOps(BlockPart::Experts);
        EXPECT_LE(model.launches().finished(without, Recompute(choice)),
                  fastest);
        if (sees == 0)
          EXPECT_EQ(model.launches().finished(without, Recompute(choice)),
                    fastest);
      }
    }
  }
  EXPECT_GT(seeing, 100u);
  EXPECT_GT(mixed, 50u);
}

/// A tensor may have a batch although the op that reads it does not say so.
TEST_F(UnitIdeal, OpsCountPositionsOnlyWhereTheirTensorsDo) {
  auto counts = [](bool readsPooled) {
    Block block;
    for (int64_t positions : {1024, 1, 1024})
      block.tensors.push_back({.name = "t",
                               .shape = {1, positions, 512},
                               .type = ElementType::BF16,
                               .role = TensorRole::Activation});
    block.inputs = {0};
    block.outputs = {2};
    std::vector<Factor> factors = {
        {"b", 1, FactorKind::PassThrough, FactorRole::Batch},
        {"s", 1024, FactorKind::PassThrough, FactorRole::Sequence},
        {"h", 512, FactorKind::PassThrough, FactorRole::Other}};
    Op pool;
    pool.factors = factors;
    pool.factors[1].kind = FactorKind::Reduction;
    pool.operands = {{0, {{0}, {1}, {2}}}};
    pool.results = {{1, {{0}, {}, {2}}}};
    Op scale;
    scale.factors = factors;
    scale.operands = {{0, {{0}, {1}, {2}}}};
    if (readsPooled)
      scale.operands.push_back({1, {{}, {}, {2}}});
    scale.results = {{2, {{0}, {1}, {2}}}};
    block.ops = {pool, scale};
    return BlockStructure(block).countsPositions;
  };
  EXPECT_EQ(counts(false), (std::vector<bool>{false, true}));
  EXPECT_EQ(counts(true), (std::vector<bool>{false, false}));
}

/// Sequences are that long, and now and then an op has more to do with
/// positions than to count them.
void changePositions(Block &block, RandomBlock &random) {
  constexpr std::array<int64_t, 4> lengths = {1024, 960, 1 << 17, 1'000'000};
  int64_t length = lengths[random.below(lengths.size())];
  for (Tensor &tensor : block.tensors)
    if (tensor.role != TensorRole::Parameter)
      tensor.shape[1] = length;
  for (Op &op : block.ops)
    for (Factor &factor : op.factors)
      if (factor.role == FactorRole::Sequence)
        factor.size = length;
  Op &op = block.ops[random.below(block.ops.size())];
  Factor &positions = op.factors[1];
  ASSERT_EQ(positions.role, FactorRole::Sequence);
  switch (random.below(5)) {
  case 0:
    positions.kind = FactorKind::Whole;
    break;
  case 1: {
    // A table of positions, the same for all sequences.
    if (!op.isFused())
      break;
    TensorIndex table = TensorIndex(block.tensors.size());
    block.tensors.push_back({.name = "positions",
                             .shape = {length, op.factors[2].size},
                             .type = ElementType::BF16,
                             .role = TensorRole::Parameter});
    block.parameters.push_back(table);
    op.operands.push_back({table, {{1}, {2}}});
    break;
  }
  default:
    break;
  }
}

/// Half of each of twice as many sequences is as much to do as half as many
/// whole ones, but for ops that look at positions otherwise.
TEST_F(UnitIdeal, OpsThatCountPositionsSeeNothingElse) {
  size_t alike = 0, uneven = 0, others = 0, differing = 0;
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    Workload workload = random.make();
    changePositions(workload.blocks[0], random);
    StackProfile profile = randomProfile();
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitSetting setting = settingOf(1 + int64_t(random.below(4)));
    setting.context = 1 + int64_t(random.below(8));
    setting.paths.context = topology.path(1, setting.context);
    setting.microBatch = 1 + int64_t(random.below(8));
    int64_t common = std::gcd(setting.microBatch, setting.context);
    UnitSetting fewer = setting;
    fewer.microBatch /= common;
    fewer.context /= common;
    fewer.paths.context = topology.path(1, fewer.context);
    if (random.below(2))
      addExperts(workload.blocks[0], random);
    BlockStructure structure(workload.blocks[0]);
    if (!structure.dealsOut(setting)) {
      ++uneven;
      continue;
    }
    UnitCostModel a(workload, 0, setting, kernels, collectives);
    UnitCostModel b(workload, 0, fewer, kernels, collectives);
    for (BlockPart part : {BlockPart::Common, BlockPart::Experts}) {
      EXPECT_EQ(a.leastOps(part, true), b.leastOps(part, true));
      EXPECT_EQ(a.leastOps(part),
                a.leastOps(part, true) + a.leastOps(part, false));
    }
    alike += common > 1 && a.leastOps(BlockPart::Common, true).count() > 0;
    others += a.leastOps(BlockPart::Common, false).count() > 0;
    differing += a.leastOps() != b.leastOps();
  }
  EXPECT_GT(alike, 100u);
  EXPECT_GT(uneven, 100u);
  EXPECT_GT(others, 100u);
  EXPECT_GT(differing, 50u);
}

/// Without the launch floor the bound is the least itself where it is known,
/// but for a few nanoseconds.
TEST_F(UnitIdeal, LeavesNoLessTimeUnfilledThanAnyLayout) {
  size_t differing = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    Workload workload = random.make();
    StackProfile profile = randomProfile();
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitCostModel model(workload, 0, settingOf(2 + int64_t(random.below(3))),
                        kernels, collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 2e4)
      continue;
    std::vector<double> shares = {double(random.below(1000)) / 1000};
    for (size_t point = 0; point < UnfilledTimeEnvelope::points; ++point)
      shares.push_back(UnfilledTimeEnvelope::shareAt(point));
    std::vector<double> least(shares.size(), 1e18);
    std::set<Nanoseconds> weights;
    enumeration.each([&](const Border &, const BlockLayout &layout) {
      UnitCosts costs = model.price(layout);
      double time(costs.time(Recompute::None).count());
      double weight(costs.backwardWeight.count());
      weights.insert(costs.backwardWeight);
      for (size_t i = 0; i < shares.size(); ++i)
        least[i] = std::min(least[i], time - shares[i] * weight);
    });
    differing += weights.size() > 1;
    BlockBounds bounds(false);
    BlockBounds::Common common;
    UnfilledTimeEnvelope unfilled = bounds.least(model, common).unfilled;
    for (size_t i = 0; i < shares.size(); ++i)
      EXPECT_LE(unfilled.at(shares[i]), least[i]) << "share " << shares[i];
    for (size_t i = 1; i < shares.size(); ++i)
      if (profile.layerForwardMicroseconds == 0)
        EXPECT_GE(unfilled.at(shares[i]), least[i] - 8)
            << "share " << shares[i];
  }
  EXPECT_GT(differing, 50u);
}

} // namespace
} // namespace shardsmith
