// SPDX-License-Identifier: Apache-2.0
//
// Groups of layouts against all combinations of the blocks' entries, one by
// one.

#include "../../../../lib/Plan/Chains/LayoutList.h"
#include "../../Cost/TransformerModel.h"
#include "../../FirstSeed.h"
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
  uint64_t seed = test::firstSeed();
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
    setting.paths.tensor = topology.path(1, tensor);
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

  /// Every entry several times, which take longer, so that groups are split
  /// more than once.
  PricedTables severalTimes(const PricedTables &tables) {
    PricedTables larger;
    for (const auto &table : tables) {
      auto more = std::make_shared<PricedTable>(*table);
      for (size_t copy = 0; copy < 8; ++copy)
        for (size_t i = 0; i < table->entries.size(); ++i) {
          UnitCosts costs = table->costs[i][0];
          costs.forward += Nanoseconds(int64_t(below(100)));
          costs.backwardWeight += Nanoseconds(int64_t(below(100)));
          more->entries.push_back(table->entries[i]);
          more->costs.push_back({costs});
        }
      larger.push_back(more);
    }
    return larger;
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

  LayoutCache room = 0;

  LayoutList listOf(PricedTables tables) {
    return LayoutList(workload, chain, std::move(tables), 1, {true, true, true},
                      room);
  }

  LayoutList fewOf(PricedTables tables, double mostCombinations) {
    return LayoutList(workload, chain, std::move(tables), 1, {true, true, true},
                      room, mostCombinations);
  }

  /// Calls `visit(groups, layouts)` for the layouts that are in no smaller
  /// group; `groups`: all that they are in, largest first.
  template <typename Visit>
  static void eachSmallest(const LayoutList &list, Visit visit) {
    std::vector<const LayoutGroup *> groups;
    if (list.all())
      eachSmallest(*list.all(), groups, visit);
  }
  template <typename Visit>
  static void eachSmallest(const LayoutGroup &group,
                           std::vector<const LayoutGroup *> &groups,
                           Visit visit) {
    groups.push_back(&group);
    std::shared_ptr<const LayoutGroup::Parts> parts = group.parts();
    EXPECT_TRUE(parts->groups.empty() || parts->layouts.empty());
    if (!parts->layouts.empty())
      visit(groups, parts->layouts);
    for (const std::unique_ptr<LayoutGroup> &smaller : parts->groups)
      eachSmallest(*smaller, groups, visit);
    groups.pop_back();
  }
};

/// Of too many layouts a list has a few, the fastest among them.
TEST_F(LayoutListTest, ListsAFewOfTooMany) {
  for (int64_t tensor : {1, 2, 4, 8}) {
    PricedTables tables = severalTimes(tablesOf(tensor));
    std::set<Entries> all = agreeing(tables);
    EXPECT_TRUE(fewOf(tables, double(all.size())).isWhole());
    LayoutList few = fewOf(tables, double(all.size()) - 1);
    EXPECT_FALSE(few.isWhole());
    Nanoseconds fastest = Nanoseconds::saturated(), best = fastest;
    eachSmallest(listOf(tables), [&](const auto &, const auto &layouts) {
      fastest = std::min(fastest, layouts.front().sums.onPool(0).time);
    });
    std::set<Entries> found;
    eachSmallest(few, [&](const auto &, const auto &layouts) {
      for (const ChainLayout &layout : layouts) {
        EXPECT_TRUE(all.contains(layout.entries));
        EXPECT_TRUE(found.insert(layout.entries).second);
        best = std::min(best, layout.sums.onPool(0).time);
      }
    });
    EXPECT_GE(best, fastest);
    EXPECT_LE(best, fastest + Nanoseconds(fastest.count() / 100));
    EXPECT_LE(found.size(), 24u);
  }
}

TEST_F(LayoutListTest, EveryLayoutIsInOneGroup) {
  size_t disagreeing = 0;
  for (int64_t tensor : {1, 2, 3, 4, 8}) {
    PricedTables tables = tablesOf(tensor);
    if (tensor == 3)
      tables = severalTimes(tables);
    std::set<Entries> expected = agreeing(tables);
    size_t combinations = 1;
    for (const auto &table : tables)
      combinations *= table->entries.size();
    disagreeing += combinations > expected.size();
    LayoutList list = listOf(tables);
    std::set<Entries> found;
    eachSmallest(list, [&](const auto &, const auto &layouts) {
      EXPECT_TRUE(std::ranges::is_sorted(layouts, isFaster));
      for (const ChainLayout &layout : layouts) {
        EXPECT_TRUE(found.insert(layout.entries).second);
        for (size_t block = 0; block < tables.size(); ++block)
          EXPECT_EQ(layout.prices[0][block],
                    tables[block]->costs[layout.entries[block]][0]);
      }
    });
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(found.empty());
  }
  EXPECT_GT(disagreeing, 0u);
}

TEST_F(LayoutListTest, FloorsHaveTheLeast) {
  size_t apart = 0, deepest = 0;
  auto expectLeast = [](const ChainSums &sumsOfIdeal, const ChainSums &sums) {
    EXPECT_LE(sumsOfIdeal.time, sums.time);
    EXPECT_LE(sumsOfIdeal.time - sumsOfIdeal.leastRecompute,
              sums.time - sums.leastRecompute);
    EXPECT_LE(sumsOfIdeal.leastSaved, sums.leastSaved);
    EXPECT_LE(sumsOfIdeal.whole.denseParameters, sums.whole.denseParameters);
    EXPECT_LE(sumsOfIdeal.whole.saved, sums.whole.saved);
    EXPECT_GE(sumsOfIdeal.mostCompute, sums.mostCompute);
    EXPECT_GE(sumsOfIdeal.mostBackwardWeight, sums.mostBackwardWeight);
    for (size_t segment = 0; segment < sums.unitTimes.size(); ++segment)
      EXPECT_LE(sumsOfIdeal.unitTimes[segment], sums.unitTimes[segment]);
  };
  for (double exposure : {0.0, 1.0, 20.0}) {
    profile.tensorExposure = exposure;
    LayoutList list = listOf(severalTimes(tablesOf(4)));
    eachSmallest(list, [&](const auto &groups, const auto &layouts) {
      for (size_t i = 0; i + 1 < groups.size(); ++i) {
        const ChainSums &larger = *groups[i]->ideals().sums().anywhere;
        const ChainSums &smaller = *groups[i + 1]->ideals().sums().anywhere;
        expectLeast(larger, smaller);
        apart += larger.time < smaller.time;
      }
      for (const LayoutGroup *group : groups)
        for (const ChainLayout &layout : layouts)
          expectLeast(*group->ideals().sums().anywhere, layout.sums.onPool(0));
      deepest = std::max(deepest, groups.size());
    });
    Nanoseconds last;
    std::shared_ptr<const LayoutGroup::Parts> largest = list.all()->parts();
    for (const auto &group : largest->groups) {
      EXPECT_LE(last, group->ideals().sums().anywhere->time);
      last = group->ideals().sums().anywhere->time;
    }
  }
  EXPECT_GT(apart, 0u);
  EXPECT_GT(deepest, 2u);
}

TEST_F(LayoutListTest, KeepsAsMuchAsThereIsRoomFor) {
  PricedTables tables = tablesOf(4);
  LayoutList list = listOf(tables);
  EXPECT_NE(list.all()->parts(), list.all()->parts());
  EXPECT_EQ(room, 0);
  room = 1 << 20;
  EXPECT_EQ(list.all()->parts(), list.all()->parts());
  EXPECT_LT(room, 1 << 20);
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
  eachSmallest(list, [&](const auto &, const auto &layouts) {
    for (const ChainLayout &layout : layouts)
      found.insert(layout.entries);
  });
  EXPECT_EQ(found, expected);
}

TEST_F(LayoutListTest, ThereAreNoneIfABlockCannotRun) {
  PricedTables tables = tablesOf(2);
  tables.back() = std::make_shared<PricedTable>();
  EXPECT_EQ(listOf(tables).all(), nullptr);
  EXPECT_EQ(LayoutList().all(), nullptr);
}

} // namespace
} // namespace shardsmith
