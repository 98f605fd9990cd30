// SPDX-License-Identifier: Apache-2.0
//
// Groups of layouts against all combinations of the blocks' entries, one by
// one.

#include "../../../../lib/Plan/Search/LayoutList.h"
#include "../../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace shardsmith {
namespace {

using namespace search;
using namespace workload;

class LayoutListTest : public testing::Test {
protected:
  uint64_t seed = std::random_device()();
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "seed " + std::to_string(seed)};
  std::mt19937_64 random{seed};
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology{cluster};
  StackProfile profile;
  KernelTimes kernels{topology.deviceType(0), profile};
  CollectiveTimes collectives{cluster, profile};
  Workload workload = transformer({.layers = 3});
  Chain chain{workload};

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }

  PricedTables tablesOf(int64_t tensor) {
    UnitSetting setting;
    setting.tensor = tensor;
    setting.tensorPath = topology.path(1, tensor);
    std::vector<BlockFacts> facts = blockFacts(workload);
    PricedTables tables;
    for (BlockIndex block = 0; block < workload.blocks.size(); ++block) {
      UnitCostModel model(workload, block, setting, kernels, collectives);
      auto table = std::make_shared<PricedTable>();
      table->entries = blockTable(model, facts[block].repeats);
      // Their order means nothing to a list.
      std::ranges::shuffle(table->entries, random);
      for (const BlockEntry &entry : table->entries)
        table->costs.push_back({entry.costs});
      tables.push_back(table);
    }
    return tables;
  }

  using Entries = std::vector<size_t>;

  /// All that agree wherever one block follows another.
  std::set<Entries> agreeing(const PricedTables &tables) const {
    std::set<Entries> all;
    Entries entries(tables.size(), 0);
    while (true) {
      auto entryOf = [&](const Segment &segment) -> const BlockEntry & {
        return tables[segment.block]->entries[entries[segment.block]];
      };
      bool agree = true;
      for (size_t i = 1; i < workload.segments.size(); ++i)
        agree &= entryOf(workload.segments[i - 1]).outputs ==
                 entryOf(workload.segments[i]).inputs;
      if (agree)
        all.insert(entries);
      size_t block = 0;
      while (block < entries.size() &&
             ++entries[block] == tables[block]->entries.size())
        entries[block++] = 0;
      if (block == entries.size())
        return all;
    }
  }

  LayoutList listOf(PricedTables tables) const {
    return LayoutList(workload, chain, std::move(tables), 1,
                      {true, true, true});
  }
};

TEST_F(LayoutListTest, EveryLayoutIsInOneGroup) {
  size_t disagreeing = 0;
  for (int64_t tensor : {1, 2, 3, 4, 8}) {
    PricedTables tables = tablesOf(tensor);
    std::set<Entries> expected = agreeing(tables);
    size_t combinations = 1;
    for (const auto &table : tables)
      combinations *= table->entries.size();
    disagreeing += combinations > expected.size();
    LayoutList list = listOf(tables);
    std::set<Entries> found;
    for (size_t group = 0; group < list.groups(); ++group) {
      const std::vector<ChainLayout> &layouts = list.layoutsOf(group);
      EXPECT_TRUE(std::ranges::is_sorted(layouts, isFaster));
      for (const ChainLayout &layout : layouts) {
        EXPECT_TRUE(found.insert(layout.entries).second);
        for (size_t block = 0; block < tables.size(); ++block)
          EXPECT_EQ(layout.prices[0][block],
                    tables[block]->costs[layout.entries[block]][0]);
      }
    }
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(found.empty());
  }
  EXPECT_GT(disagreeing, 0u);
}

TEST_F(LayoutListTest, FloorsHaveTheLeast) {
  size_t apart = 0;
  auto expectLeast = [](const ChainSums &floor, const ChainSums &sums) {
    EXPECT_LE(floor.time, sums.time);
    EXPECT_LE(floor.time - floor.leastRecompute,
              sums.time - sums.leastRecompute);
    EXPECT_LE(floor.leastSaved, sums.leastSaved);
    EXPECT_LE(floor.whole.denseParameters, sums.whole.denseParameters);
    EXPECT_LE(floor.whole.saved, sums.whole.saved);
    EXPECT_GE(floor.mostCompute, sums.mostCompute);
    EXPECT_GE(floor.mostBackwardWeight, sums.mostBackwardWeight);
    for (size_t segment = 0; segment < sums.unitTimes.size(); ++segment)
      EXPECT_LE(floor.unitTimes[segment], sums.unitTimes[segment]);
  };
  for (double exposure : {0.0, 1.0, 20.0}) {
    profile.tensorExposure = exposure;
    LayoutList list = listOf(tablesOf(4));
    const ChainSums &whole = *list.floors().sums().anywhere;
    Nanoseconds last;
    for (size_t group = 0; group < list.groups(); ++group) {
      const ChainSums &floor = *list.floorsOf(group).sums().anywhere;
      EXPECT_LE(last, floor.time);
      last = floor.time;
      apart += whole.time < floor.time;
      for (const ChainLayout &layout : list.layoutsOf(group)) {
        expectLeast(floor, layout.sums.onPool(0));
        expectLeast(whole, layout.sums.onPool(0));
      }
    }
  }
  EXPECT_GT(apart, 0u);
}

TEST_F(LayoutListTest, LayoutsOfKnownEntriesAloneAreLeftOut) {
  PricedTables tables = tablesOf(2), marked;
  for (const auto &table : tables) {
    auto copy = std::make_shared<PricedTable>(*table);
    for (size_t i = 0; i < copy->entries.size(); ++i)
      copy->isKnown.push_back(below(2));
    // At least one of each.
    copy->isKnown[below(copy->isKnown.size())] = true;
    marked.push_back(copy);
  }
  std::set<Entries> expected;
  for (const Entries &entries : agreeing(tables)) {
    bool isKnown = true;
    for (size_t block = 0; block < entries.size(); ++block)
      isKnown &= marked[block]->isKnown[entries[block]];
    if (!isKnown)
      expected.insert(entries);
  }
  std::set<Entries> found;
  LayoutList list = listOf(marked);
  for (size_t group = 0; group < list.groups(); ++group)
    for (const ChainLayout &layout : list.layoutsOf(group))
      found.insert(layout.entries);
  EXPECT_EQ(found, expected);
}

TEST_F(LayoutListTest, ThereAreNoneIfABlockCannotRun) {
  PricedTables tables = tablesOf(2);
  tables.back() = std::make_shared<PricedTable>();
  EXPECT_EQ(listOf(tables).groups(), 0u);
  EXPECT_EQ(LayoutList().groups(), 0u);
}

} // namespace
} // namespace shardsmith
