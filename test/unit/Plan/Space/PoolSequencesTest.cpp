// SPDX-License-Identifier: Apache-2.0

#include "../../../../lib/Plan/Space/PoolSequences.h"
#include "../../FirstSeed.h"

#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace shardsmith {
namespace {

using namespace search;

/// A group of one node per entry, with so many devices of its own type.
Cluster clusterOf(const std::vector<int64_t> &devices) {
  Cluster cluster = *findCluster("8xh100").cluster;
  Group model = cluster.groups.front();
  DeviceType type = cluster.deviceTypes.at(model.node.devices.front().type);
  cluster.groups.clear();
  for (size_t i = 0; i < devices.size(); ++i) {
    std::string name = "type" + std::to_string(i);
    cluster.deviceTypes[name] = type;
    Group group = model;
    group.name = "group" + std::to_string(i);
    group.node.devices = {{name, devices[i]}};
    group.node.islands.clear();
    cluster.groups.push_back(group);
    if (i > 0)
      cluster.interconnects.push_back(
          {"group0[0]", group.name + "[0]", model.node.fabricLink, 1});
  }
  return cluster;
}

/// Calls `visit` with all sequences of `length` numbers up to `most[i]`.
template <typename Visit>
void eachNumbers(const std::vector<int64_t> &most, std::vector<int64_t> &chosen,
                 Visit visit) {
  if (chosen.size() == most.size()) {
    visit(chosen);
    return;
  }
  for (int64_t number = 0; number <= most[chosen.size()]; ++number) {
    chosen.push_back(number);
    eachNumbers(most, chosen, visit);
    chosen.pop_back();
  }
}

class RandomPools {
public:
  explicit RandomPools(uint64_t seed) : random(seed) {
    for (int64_t pool = 0, pools = 2 + below(3); pool < pools; ++pool)
      devices.push_back(1 + below(7));
    block = 1 + below(3);
    cluster = clusterOf(devices);
  }

  int64_t below(int64_t bound) { return int64_t(random() % uint64_t(bound)); }
  int64_t room(size_t pool) const { return devices[pool] / block; }

  std::mt19937_64 random;
  std::vector<int64_t> devices;
  int64_t block;
  Cluster cluster;
};

TEST(PoolSequences, AreAllInWhichThoseOfAPoolAreNeighbours) {
  uint64_t seed = test::firstSeed();
  size_t sequences = 0;
  for (int round = 0; round < 300; ++round, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomPools pools(seed);
    ClusterTopology topology(pools.cluster);
    Strategy outer;
    outer.tensor = pools.block;
    outer.pipeline = 1 + pools.below(6);
    std::set<std::vector<unsigned>> expected;
    std::vector<int64_t> chosen;
    eachNumbers(std::vector<int64_t>(size_t(outer.pipeline),
                                     int64_t(pools.devices.size()) - 1),
                chosen, [&](const std::vector<int64_t> &numbers) {
                  for (size_t pool = 0; pool < pools.devices.size(); ++pool) {
                    auto first = std::ranges::find(numbers, int64_t(pool));
                    int64_t count = std::ranges::count(numbers, int64_t(pool));
                    if (count > pools.room(pool) ||
                        (count > 0 && std::count(first, first + count,
                                                 int64_t(pool)) < count))
                      return;
                  }
                  expected.emplace(numbers.begin(), numbers.end());
                });
    PoolSequences found = poolSequences(topology, outer);
    ASSERT_EQ(std::set(found.begin(), found.end()), expected);
    ASSERT_EQ(found.size(), expected.size());
    sequences += found.size();
  }
  EXPECT_GT(sequences, 3000u);
}

TEST(PoolSequences, LieOnOnePoolIfAnotherAxisIsOutermost) {
  Cluster cluster = clusterOf({4, 8, 2, 6});
  ClusterTopology topology(cluster);
  Strategy outer;
  outer.data = 2;
  outer.pipeline = 3;
  outer.deviceOrder = {PlanAxis::Tensor, PlanAxis::Context, PlanAxis::Pipeline,
                       PlanAxis::Data};
  EXPECT_EQ(poolSequences(topology, outer),
            (PoolSequences{{1, 1, 1}, {3, 3, 3}}));
}

TEST(PoolSequences, WaysToSpreadFillAllPoolsButOne) {
  uint64_t seed = test::firstSeed();
  size_t partial = 0;
  for (int round = 0; round < 300; ++round, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomPools pools(seed);
    ClusterTopology topology(pools.cluster);
    Strategy outer;
    outer.tensor = pools.block;
    outer.data = 1 + pools.below(12);
    std::set<std::vector<int64_t>> expected;
    std::vector<int64_t> rooms, chosen;
    for (size_t pool = 0; pool < pools.devices.size(); ++pool)
      rooms.push_back(pools.room(pool));
    eachNumbers(rooms, chosen, [&](const std::vector<int64_t> &numbers) {
      int64_t sum = 0, used = 0, open = 0;
      for (size_t pool = 0; pool < numbers.size(); ++pool) {
        sum += numbers[pool];
        used += numbers[pool] > 0;
        open += numbers[pool] > 0 && numbers[pool] < rooms[pool];
      }
      if (sum == outer.data && used > 1 && open <= 1)
        expected.insert(numbers);
      partial += sum == outer.data && used > 1 && open == 1;
    });
    std::vector<std::vector<int64_t>> found =
        replicaPlacements(topology, outer);
    ASSERT_EQ(std::set(found.begin(), found.end()), expected);
    ASSERT_EQ(found.size(), expected.size());
  }
  EXPECT_GT(partial, 100u);
}

// Else there would be millions.
TEST(PoolSequences, OfManyPoolsLieOnNeighbours) {
  Cluster cluster = clusterOf(std::vector<int64_t>(16, 4));
  ClusterTopology topology(cluster);
  std::vector<unsigned> devices;
  for (unsigned device = 0; device < 64; ++device)
    devices.push_back(device / 4);
  for (int64_t ranks : {5, 32, 63, 64, 65}) {
    Strategy outer;
    outer.pipeline = ranks;
    std::set<std::vector<unsigned>> expected;
    for (int64_t begin = 0; begin + ranks <= 64; ++begin) {
      std::vector<unsigned> sequence(devices.begin() + begin,
                                     devices.begin() + begin + ranks);
      expected.insert(sequence);
      std::ranges::reverse(sequence);
      expected.insert(sequence);
    }
    PoolSequences found = poolSequences(topology, outer);
    EXPECT_EQ(std::set(found.begin(), found.end()), expected);
    EXPECT_EQ(found.size(), expected.size());
    outer.data = ranks;
    outer.pipeline = 1;
    for (const std::vector<int64_t> &way : replicaPlacements(topology, outer)) {
      int64_t sum = 0;
      for (int64_t each : way)
        sum += each;
      EXPECT_EQ(sum, ranks);
      EXPECT_LE(std::ranges::max(way), 4);
    }
    EXPECT_EQ(replicaPlacements(topology, outer).empty(), ranks > 64);
  }
}

} // namespace
} // namespace shardsmith
