// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/ParameterSharing.h"
#include "../FirstSeed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace shardsmith::workload {
namespace {

/// Blocks of scalars: only their names matter. Per segment and repetition the
/// names of all parameters.
Workload
named(const std::vector<
      std::pair<BlockIndex, std::vector<std::vector<std::string>>>> &segments) {
  Workload workload;
  for (const auto &[block, repetitions] : segments) {
    Segment &segment = workload.segments.emplace_back();
    segment.block = block;
    segment.count = int64_t(repetitions.size());
    for (const auto &names : repetitions)
      segment.parameterNames.add(names);
    workload.blocks.resize(std::max<size_t>(workload.blocks.size(), block + 1));
    Block &owner = workload.blocks[block];
    if (!owner.parameters.empty())
      continue;
    for (size_t i = 0; i < repetitions.front().size(); ++i) {
      owner.parameters.push_back(TensorIndex(i));
      owner.tensors.push_back(
          {"p", {}, ElementType::F32, TensorRole::Parameter});
    }
  }
  return workload;
}

TEST(ParameterSharing, NamesThatOccurOnceAreNotShared) {
  ParameterSharing sharing = sharedParameters(
      named({{0, {{"a", "b"}}}, {1, {{"l.0"}, {"l.1"}, {"l.2"}}}}));
  for (const auto &positions : sharing)
    for (const auto &each : positions)
      EXPECT_FALSE(each);
}

TEST(ParameterSharing, OneLayerManyTimes) {
  ParameterSharing sharing = sharedParameters(
      named({{0, {{"w", "n.0"}, {"w", "n.1"}, {"w", "n.2"}}}}));
  EXPECT_EQ(sharing[0][0], (SharedTensors{0, 1, 3}));
  EXPECT_FALSE(sharing[0][1]);
}

// All positions of a block that are shared alike are one group.
TEST(ParameterSharing, LayersInPairs) {
  ParameterSharing sharing = sharedParameters(named(
      {{0, {{"u.0", "d.0"}, {"u.0", "d.0"}, {"u.1", "d.1"}, {"u.1", "d.1"}}}}));
  EXPECT_EQ(sharing[0][0], (SharedTensors{0, 2, 4}));
  EXPECT_EQ(sharing[0][1], (SharedTensors{0, 2, 4}));
}

TEST(ParameterSharing, TiedEnds) {
  ParameterSharing sharing = sharedParameters(named(
      {{0, {{"table"}}}, {1, {{"l.0"}, {"l.1"}}}, {2, {{"norm", "table"}}}}));
  EXPECT_EQ(sharing[0][0], (SharedTensors{0, 1, 2}));
  EXPECT_FALSE(sharing[1][0]);
  EXPECT_FALSE(sharing[2][0]);
  EXPECT_EQ(sharing[2][1], (SharedTensors{0, 1, 2}));
}

// Of whichever units a rank has, it is never said to hold fewer tensors than it
// does, nor to hold fewer together with the others; and of all units together
// no more than there are, as long as each uses as many of a group.
TEST(ParameterSharing, CountsAreThoseOfSetsOfNames) {
  std::mt19937_64 random(test::firstSeed());
  auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  size_t shared = 0, subsets = 0;
  for (int instance = 0; instance < 400; ++instance) {
    std::vector<std::pair<BlockIndex, std::vector<std::vector<std::string>>>>
        segments;
    auto blocks = BlockIndex(1 + below(3));
    for (int64_t i = 0, count = 1 + below(3); i < count; ++i) {
      auto &[block, repetitions] = segments.emplace_back();
      block = i < blocks ? BlockIndex(i) : BlockIndex(below(blocks));
      repetitions.resize(size_t(1 + below(3)));
      for (auto &names : repetitions)
        names = {"x." + std::to_string(below(4))};
    }
    Workload workload = named(segments);
    ParameterSharing sharing = sharedParameters(workload);
    std::vector<std::pair<BlockIndex, std::string>> units;
    for (const auto &[block, repetitions] : segments)
      for (const auto &names : repetitions)
        units.emplace_back(block, names.front());
    for (uint64_t subset = 1; subset < uint64_t(1) << units.size(); ++subset) {
      std::set<std::string> held, elsewhere;
      std::map<unsigned, int64_t> uses;
      int64_t own = 0;
      std::map<unsigned, SharedTensors> groups;
      for (size_t unit = 0; unit < units.size(); ++unit) {
        if (!(subset >> unit & 1)) {
          elsewhere.insert(units[unit].second);
          continue;
        }
        held.insert(units[unit].second);
        const auto &of = sharing[units[unit].first][0];
        if (!of) {
          ++own;
          continue;
        }
        ++uses[of->group];
        groups[of->group] = *of;
      }
      int64_t counted = own, together = 0;
      for (auto [group, count] : uses) {
        counted += std::min(count, groups[group].tensors);
        together += std::min(
            {count, groups[group].tensors, groups[group].uses - count});
      }
      EXPECT_GE(counted, int64_t(held.size()));
      EXPECT_GE(together, std::ranges::count_if(held, [&](const auto &name) {
                  return elsewhere.contains(name);
                }));
      bool isAll = subset + 1 == uint64_t(1) << units.size();
      if (isAll)
        EXPECT_EQ(counted, int64_t(held.size()));
      shared += isAll && !uses.empty();
      ++subsets;
    }
  }
  EXPECT_GT(shared, 100U);
  std::printf("%zu subsets of units; %zu models share\n", subsets, shared);
}

} // namespace
} // namespace shardsmith::workload
