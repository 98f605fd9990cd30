// SPDX-License-Identifier: Apache-2.0
//
// Tables against enumeration of every split and every layout.

#include "../../Cost/TransformerModel.h"
#include "../../FirstSeed.h"
#include "BlockEnumeration.h"
#include "RandomBlock.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace shardsmith {
namespace {

using namespace workload;

std::map<Border, std::set<Numbers>>
frontsOf(const UnitCostModel &model, const std::vector<BlockEntry> &table) {
  std::map<Border, std::set<Numbers>> fronts;
  for (const BlockEntry &entry : table) {
    Border border = {entry.inputs, entry.outputs};
    EXPECT_TRUE(fronts[border].insert(numbersOf(model, entry.layout)).second)
        << "two entries with the same numbers";
    EXPECT_EQ(entry.costs, model.price(entry.layout));
  }
  return fronts;
}

/// Half of the blocks may keep their parameters in any way, others some split
/// by some dimensions, or over some numbers of ranks.
BlockSplits randomSplits(const Block &block, uint64_t seed) {
  std::mt19937_64 random(seed);
  BlockSplits splits;
  if (random() % 2)
    return splits;
  splits.resize(block.tensors.size());
  for (TensorIndex parameter : block.parameters)
    for (int64_t size : block.tensors[parameter].shape) {
      std::array<int64_t, 4> numbers = {0, 1, 2, size};
      splits[parameter].push_back(numbers[random() % numbers.size()]);
    }
  return splits;
}

TEST(BlockTable, EqualsEnumeration) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  ClusterResult fast = findCluster("8xh100"), slow = findCluster("4x4xl40s");
  ASSERT_TRUE(fast.cluster && slow.cluster);
  size_t compared = 0;
  while (compared < 2000) {
    Workload workload = random.make();
    ASSERT_EQ(workload.blocks[0].ops.empty(), false);
    const Cluster &cluster = *(random.below(2) ? fast : slow).cluster;
    ClusterTopology topology(cluster);
    StackProfile profile;
    profile.fusedAttention = random.below(2);
    profile.recomputeStopsEarly = random.below(2);
    profile.selectiveKeepsProducts = random.below(2);
    profile.layerForwardMicroseconds = double(random.below(3)) * 40;
    KernelTimes kernels(topology.deviceType(0), profile);
    CollectiveTimes collectives(cluster, profile);
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    setting.microBatch = 1 + int64_t(random.below(2));
    setting.sequenceParallel = random.below(4) != 0;
    setting.splitsFeatures = random.below(4) != 0;
    BlockSplits splits = randomSplits(workload.blocks[0], seed + compared);
    UnitCostModel model(
        std::make_shared<PricedBlock>(workload, 0, sharedParameters(workload),
                                      kernels, splits),
        setting, collectives, std::make_shared<ExchangeCache>());
    Enumeration enumeration(model, splits, setting.tensor);
    if (enumeration.count() > 6000)
      continue;
    ++compared;
    auto expected = enumeration.run();
    ASSERT_EQ(frontsOf(model, blockTable(model)), expected)
        << "block " << compared << ", tensor=" << setting.tensor << "\n"
        << toJson(workload);
    std::erase_if(expected, [](const auto &entry) {
      return entry.first.first != entry.first.second;
    });
    constexpr bool repeatable = true;
    ASSERT_EQ(frontsOf(model, blockTable(model, repeatable)), expected)
        << "block " << compared << ", tensor=" << setting.tensor << "\n"
        << toJson(workload);
  }
}

/// Times on several kinds of device; memory is the same on all.
Numbers numbersOnAll(const std::vector<const UnitCostModel *> &models,
                     const BlockLayout &layout) {
  Numbers all;
  for (const UnitCostModel *model : models) {
    Numbers numbers = numbersOf(*model, layout);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

TEST(BlockTable, EqualsEnumerationOnSeveralKindsOfDevice) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  std::vector<Cluster> clusters;
  for (const char *name : {"8xh100", "4x4xl40s", "8xa100"})
    clusters.push_back(*findCluster(name).cluster);
  size_t compared = 0, more = 0;
  while (compared < 500) {
    Workload workload = random.make();
    StackProfile profile;
    profile.fusedAttention = random.below(2);
    profile.layerForwardMicroseconds = double(random.below(3)) * 40;
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    size_t kinds = 2 + random.below(2);
    std::vector<std::unique_ptr<ClusterTopology>> topologies;
    std::vector<std::unique_ptr<KernelTimes>> kernels;
    std::vector<std::unique_ptr<CollectiveTimes>> collectives;
    std::vector<std::unique_ptr<UnitCostModel>> models;
    std::vector<const UnitCostModel *> all;
    for (size_t kind = 0; kind < kinds; ++kind) {
      topologies.push_back(std::make_unique<ClusterTopology>(clusters[kind]));
      kernels.push_back(std::make_unique<KernelTimes>(
          topologies.back()->deviceType(0), profile));
      collectives.push_back(
          std::make_unique<CollectiveTimes>(clusters[kind], profile));
      setting.paths.tensor = topologies.back()->path(1, setting.tensor);
      models.push_back(std::make_unique<UnitCostModel>(
          workload, 0, setting, *kernels.back(), *collectives.back()));
      all.push_back(models.back().get());
    }
    Enumeration enumeration(*all.front());
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    auto expected = enumeration.run(
        [&](const BlockLayout &layout) { return numbersOnAll(all, layout); });
    std::map<Border, std::set<Numbers>> found;
    for (const BlockEntry &entry : blockTable(all, false)) {
      EXPECT_EQ(entry.costs, all.front()->price(entry.layout));
      Border border = {entry.inputs, entry.outputs};
      EXPECT_TRUE(found[border].insert(numbersOnAll(all, entry.layout)).second);
      ++more;
    }
    more -= blockTable(*all.front()).size();
    ASSERT_EQ(found, expected) << toJson(workload);
  }
  // One kind alone would not have asked for these.
  EXPECT_GT(more, 100u);
}

/// Saved bytes with each way of recomputing, and the transient, count nothing.
Numbers withoutMemory(Numbers numbers) {
  for (size_t i : {3, 4, 5, 9})
    numbers[i] = 0;
  return numbers;
}

TEST(BlockTable, EqualsEnumerationWhereMemoryDecidesNothing) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  ClusterResult fast = findCluster("8xh100"), slow = findCluster("4x4xl40s");
  size_t fewer = 0;
  for (size_t compared = 0; compared < 500;) {
    Workload workload = random.make();
    const Cluster &cluster = *(random.below(2) ? fast : slow).cluster;
    ClusterTopology topology(cluster);
    StackProfile profile;
    KernelTimes kernels(topology.deviceType(0), profile);
    CollectiveTimes collectives(cluster, profile);
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    auto expected = enumeration.run([&](const BlockLayout &layout) {
      return withoutMemory(numbersOf(model, layout));
    });
    const UnitCostModel *models[] = {&model};
    std::map<Border, std::set<Numbers>> found;
    std::vector<BlockEntry> table =
        blockTable(models, false, Compare::AllButMemory);
    for (const BlockEntry &entry : table) {
      EXPECT_EQ(entry.costs, model.price(entry.layout));
      EXPECT_TRUE(found[Border(entry.inputs, entry.outputs)]
                      .insert(withoutMemory(numbersOf(model, entry.layout)))
                      .second);
    }
    ASSERT_EQ(found, expected) << toJson(workload);
    fewer += table.size() < blockTable(model).size();
  }
  EXPECT_GT(fewer, 100u);
}

/// What only other ways of recomputing need counts nothing.
Numbers withWays(Numbers numbers, RecomputeWays ways) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (!ways[choice]) {
      numbers[choice] = 0;
      if (choice != size_t(Recompute::None))
        numbers[3 + choice] = 0;
    }
  return numbers;
}

TEST(BlockTable, EqualsEnumerationWithSomeWaysOfRecomputing) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  ClusterResult fast = findCluster("8xh100"), slow = findCluster("4x4xl40s");
  size_t fewer = 0;
  for (size_t compared = 0; compared < 500;) {
    Workload workload = random.make();
    const Cluster &cluster = *(random.below(2) ? fast : slow).cluster;
    ClusterTopology topology(cluster);
    StackProfile profile;
    KernelTimes kernels(topology.deviceType(0), profile);
    CollectiveTimes collectives(cluster, profile);
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    RecomputeWays ways;
    for (bool &way : ways)
      way = random.below(2);
    ways[random.below(recomputeChoices)] = true;
    auto expected = enumeration.run([&](const BlockLayout &layout) {
      return withWays(numbersOf(model, layout), ways);
    });
    const UnitCostModel *models[] = {&model};
    std::map<Border, std::set<Numbers>> found;
    LimitedTable table =
        limitedTable(models, false, Compare::All, {}, {}, ways);
    ASSERT_TRUE(table.isWhole);
    for (const BlockEntry &entry : table.entries) {
      EXPECT_EQ(entry.costs, model.price(entry.layout));
      EXPECT_TRUE(found[Border(entry.inputs, entry.outputs)]
                      .insert(withWays(numbersOf(model, entry.layout), ways))
                      .second);
    }
    ASSERT_EQ(found, expected) << toJson(workload);
    fewer += table.entries.size() < blockTable(model).size();
  }
  EXPECT_GT(fewer, 50u);
}

TEST(BlockTable, NoLayoutNeedsMoreThanTheMost) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  ClusterResult cluster = findCluster("8xh100");
  ClusterTopology topology(*cluster.cluster);
  CollectiveTimes collectives(*cluster.cluster, {});
  for (size_t compared = 0; compared < 500;) {
    Workload workload = random.make();
    StackProfile profile;
    profile.fusedAttention = random.below(2);
    profile.recomputeStopsEarly = random.below(2);
    profile.selectiveKeepsProducts = random.below(2);
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    auto numbersOf = [](const UnitCosts &costs) {
      Numbers numbers = {costs.transient.count(), costs.outputBytes.count(),
                         costs.denseParameters, costs.expertParameters};
      for (Bytes saved : costs.saved)
        numbers.push_back(saved.count());
      return numbers;
    };
    for (bool repeatable : {false, true}) {
      std::optional<Numbers> most;
      enumeration.each([&](const Border &border, const BlockLayout &layout) {
        if (repeatable && border.first != border.second)
          return;
        Numbers numbers = numbersOf(model.price(layout));
        if (!most)
          most = numbers;
        for (size_t i = 0; i < numbers.size(); ++i)
          (*most)[i] = std::max((*most)[i], numbers[i]);
      });
      if (most)
        ASSERT_EQ(numbersOf(mostMemory(model, repeatable)), *most)
            << toJson(workload);
    }
  }
}

TEST(BlockTable, ExtremesHaveTheLeastOfEachNumber) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  std::vector<Cluster> clusters;
  for (const char *name : {"8xh100", "4x4xl40s"})
    clusters.push_back(*findCluster(name).cluster);
  for (size_t compared = 0; compared < 500;) {
    Workload workload = random.make();
    StackProfile profile;
    UnitSetting setting;
    setting.tensor = 2 + int64_t(random.below(3));
    const Cluster &cluster = clusters[random.below(2)];
    ClusterTopology topology(cluster);
    KernelTimes kernels(topology.deviceType(0), profile);
    CollectiveTimes collectives(cluster, profile);
    setting.paths.tensor = topology.path(1, setting.tensor);
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    const UnitCostModel *all[] = {&model};
    Enumeration enumeration(model);
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    std::array<bool, recomputeChoices> allowed = {};
    while (std::ranges::none_of(allowed, std::identity()))
      for (bool &choice : allowed)
        choice = random.below(2);
    size_t fastest = 0, leanest = recomputeChoices - 1;
    while (!allowed[fastest])
      ++fastest;
    while (!allowed[leanest])
      --leanest;
    std::map<Border, Numbers> expected, found;
    auto takeLeast = [&](std::map<Border, Numbers> &least, const Border &border,
                         const BlockLayout &layout) {
      UnitCosts costs = model.price(layout);
      Numbers numbers = {costs.time(Recompute(fastest)).count(),
                         costs.saved[leanest].count(),
                         costs.denseParameters + costs.expertParameters};
      auto [entry, isNew] = least.try_emplace(border, numbers);
      for (size_t i = 0; i < numbers.size(); ++i)
        entry->second[i] = std::min(entry->second[i], numbers[i]);
    };
    enumeration.each([&](const Border &border, const BlockLayout &layout) {
      takeLeast(expected, border, layout);
    });
    for (const BlockEntry &entry : extremeLayouts(all, false, allowed)) {
      EXPECT_EQ(entry.costs, model.price(entry.layout));
      takeLeast(found, {entry.inputs, entry.outputs}, entry.layout);
    }
    ASSERT_EQ(found, expected) << toJson(workload);
  }
}

/// Who stops gets nothing that is wrong, and soon.
TEST(BlockTable, ExtremeLayoutsAreSomeOfThemOnceStopped) {
  Workload model = transformer({.layers = 1,
                                .hidden = 512,
                                .heads = 8,
                                .keyValueHeads = 8,
                                .feedForward = 2048,
                                .vocabulary = 1024,
                                .positions = 128,
                                .globalBatch = 8});
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology(cluster);
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting;
  setting.tensor = 2;
  for (BlockIndex block = 0; block < model.blocks.size(); ++block) {
    UnitCostModel costs(model, block, setting, kernels, collectives);
    const UnitCostModel *const models[] = {&costs};
    constexpr std::array<bool, recomputeChoices> all = {true, true, true};
    std::vector<BlockEntry> whole = extremeLayouts(models, false, all);
    int asked = 0;
    for (int stopAt : {0, 1, 2, 5}) {
      auto mustStop = [&] { return asked++ >= stopAt; };
      asked = 0;
      for (const BlockEntry &entry :
           extremeLayouts(models, false, all, {}, mustStop))
        EXPECT_EQ(entry.costs, costs.price(entry.layout));
      EXPECT_LE(asked, stopAt + 1);
    }
    EXPECT_FALSE(whole.empty());
  }
}

/// With the limits of a table, of single best layouts, and of neither.
TEST(BlockTable, LimitedTablesAreTablesOrSomeOfTheirLayouts) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology(cluster);
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting;
  size_t whole = 0, found = 0, all = 0;
  for (int i = 0; i < 500; ++i) {
    Workload workload = random.make();
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    const UnitCostModel *models[] = {&model};
    bool repeatable = random.below(2);
    std::vector<BlockEntry> table = blockTable(model, repeatable);
    LimitedTable exact = limitedTable(models, repeatable, Compare::All);
    EXPECT_TRUE(exact.isWhole);
    EXPECT_EQ(frontsOf(model, exact.entries), frontsOf(model, table));

    Nanoseconds fastest = Nanoseconds::saturated();
    for (const BlockEntry &entry : table)
      fastest = std::min(fastest, entry.costs.time(Recompute::None));
    for (size_t fewEntries : {size_t(1) << 14, size_t(0)}) {
      SumLimits limits;
      limits.fewEntries = fewEntries;
      // Too many entries, or too many comparisons.
      if (random.below(2))
        limits.entries = 0;
      else
        limits.comparisons = 0;
      LimitedTable some =
          limitedTable(models, repeatable, Compare::All, limits);
      whole += some.isWhole;
      bool hasUnsplit = repeatable;
      Nanoseconds best = Nanoseconds::saturated();
      for (const BlockEntry &entry : some.entries) {
        EXPECT_EQ(entry.costs, model.price(entry.layout));
        EXPECT_TRUE(!repeatable || entry.inputs == entry.outputs);
        hasUnsplit |= entry.layout == unsplitLayout(workload.blocks[0]);
        best = std::min(best, entry.costs.time(Recompute::None));
      }
      EXPECT_TRUE(hasUnsplit || some.isWhole);
      EXPECT_GE(best, fastest);
      ++all;
      found += best <= fastest + Nanoseconds(fastest.count() / 50);
    }
  }
  // Blocks without anything to add up are never beyond a limit.
  EXPECT_LT(whole, 500u);
  // Beams are wide enough for blocks as small as these.
  EXPECT_GT(found * 10, all * 9);
}

TEST(BlockTable, EndsSoonIfItMustStop) {
  // What is split saves little and takes a little longer: all are worth having.
  Workload workload = transformer({.hidden = 24,
                                   .heads = 6,
                                   .keyValueHeads = 2,
                                   .feedForward = 40,
                                   .positions = 128,
                                   .gated = true});
  ClusterResult fast = findCluster("8xh100");
  ClusterTopology topology(*fast.cluster);
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(*fast.cluster, profile);
  UnitSetting setting;
  setting.tensor = 2;
  setting.paths.tensor = topology.path(1, 2);
  UnitCostModel model(workload, 1, setting, kernels, collectives);
  const UnitCostModel *models[] = {&model};
  int64_t asked = 0, after = 0;
  std::vector<BlockEntry> all =
      blockTable(models, false, Compare::All, [&] { return ++asked == 0; });
  EXPECT_EQ(all.size(), blockTable(model).size());
  ASSERT_GT(asked, 10);
  std::vector<BlockEntry> some =
      blockTable(models, false, Compare::All, [&] { return ++after >= 5; });
  EXPECT_EQ(after, 5);
  EXPECT_LT(some.size(), all.size());
}

/// The same block with its tensors and the factors of its ops in another
/// order.
Block relabelled(const Block &block, std::mt19937_64 &random) {
  auto shuffled = [&](size_t count) {
    std::vector<uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0);
    std::ranges::shuffle(places, random);
    return places;
  };
  Block result = block;
  std::vector<uint32_t> tensors = shuffled(block.tensors.size());
  for (TensorIndex tensor = 0; tensor < tensors.size(); ++tensor)
    result.tensors[tensors[tensor]] = block.tensors[tensor];
  for (auto *list : {&result.inputs, &result.outputs, &result.parameters})
    for (TensorIndex &tensor : *list)
      tensor = tensors[tensor];
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const Op &op = block.ops[i];
    std::vector<uint32_t> factors = shuffled(op.factors.size());
    for (FactorIndex factor = 0; factor < factors.size(); ++factor)
      result.ops[i].factors[factors[factor]] = op.factors[factor];
    for (auto *uses : {&result.ops[i].operands, &result.ops[i].results})
      for (TensorUse &use : *uses) {
        use.tensor = tensors[use.tensor];
        for (auto &dim : use.dims)
          for (FactorIndex &factor : dim)
            factor = factors[factor];
      }
  }
  return result;
}

TEST(BlockTable, OrderOfTensorsAndFactorsDoesNotMatter) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  std::mt19937_64 order(seed);
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology(cluster);
  StackProfile profile;
  KernelTimes kernels(topology.deviceType(0), profile);
  CollectiveTimes collectives(cluster, profile);
  UnitSetting setting;
  setting.tensor = 4;
  setting.paths.tensor = topology.path(1, setting.tensor);
  for (int i = 0; i < 300; ++i) {
    Workload one = random.make(), other = one;
    other.blocks[0] = relabelled(one.blocks[0], order);
    UnitCostModel first(one, 0, setting, kernels, collectives);
    UnitCostModel second(other, 0, setting, kernels, collectives);
    ASSERT_EQ(frontsOf(first, blockTable(first)),
              frontsOf(second, blockTable(second)))
        << toJson(one);
  }
}

} // namespace
} // namespace shardsmith
