// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "../../FirstSeed.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardsmith {
namespace {

using testing::HasSubstr;

/// Groups of nodes, each group with a type of its own.
Cluster clusterOf(const std::vector<std::pair<int64_t, int64_t>> &nodes) {
  Cluster cluster = *findCluster("2x8xh100").cluster;
  Group model = cluster.groups.front();
  DeviceType type = cluster.deviceTypes.at(model.node.devices.front().type);
  cluster.groups.clear();
  for (auto [count, devices] : nodes) {
    std::string number = std::to_string(cluster.groups.size());
    cluster.deviceTypes["type" + number] = type;
    Group group = model;
    group.name = "group" + number;
    group.node.count = count;
    group.node.devices = {{"type" + number, devices}};
    if (!cluster.groups.empty())
      cluster.interconnects.push_back(
          {"group0[0]", group.name + "[0]", model.node.fabricLink, 1});
    cluster.groups.push_back(group);
  }
  return cluster;
}

/// How far apart the members of those groups are that have a rank on the pool,
/// rank by rank.
class Farthest {
public:
  Farthest(const Cluster &cluster, const ClusterTopology &topology,
           const Strategy &strategy)
      : cluster(cluster), strategy(strategy) {
    int64_t block = strategy.rankCount() / strategy.data;
    for (const DataShare &share : strategy.dataShares) {
      const DevicePool &pool = topology.pools()[share.pool];
      for (int64_t rank = 0; rank < share.ranks * block; ++rank) {
        // Shares of one pool follow each other.
        devices.push_back(pool.begin + std::ranges::count(pools, share.pool));
        pools.push_back(share.pool);
      }
    }
  }

  /// `groupOf(rank)`: equal for the members of a group.
  template <typename GroupOf>
  std::string on(unsigned pool, GroupOf groupOf) const {
    int farthest = 0;
    for (size_t rank = 0; rank < devices.size(); ++rank) {
      if (pools[rank] != pool)
        continue;
      for (size_t one = 0; one < devices.size(); ++one)
        for (size_t two = 0; two < one; ++two)
          if (groupOf(one) == groupOf(rank) && groupOf(two) == groupOf(rank))
            farthest = std::max(farthest, distance(one, two));
    }
    return std::array{"", "node", "network", "interconnect"}[farthest];
  }

  /// Its coordinate on an axis.
  int64_t coordinate(size_t rank, PlanAxis axis) const {
    int64_t left = int64_t(rank);
    for (PlanAxis each : strategy.deviceOrder) {
      if (each == axis)
        return left % strategy.degree(each);
      left /= strategy.degree(each);
    }
    return 0;
  }

private:
  int distance(size_t one, size_t two) const {
    DevicePosition a = positionOf(cluster, devices[one]);
    DevicePosition b = positionOf(cluster, devices[two]);
    if (a.group != b.group)
      return 3;
    return a.node != b.node ? 2 : 1;
  }

  const Cluster &cluster;
  const Strategy &strategy;
  std::vector<int64_t> devices;
  std::vector<unsigned> pools;
};

std::string outermost(const GroupPath &path) {
  return path.levels.empty() ? "" : path.levels.back().name;
}

TEST(AxisPaths, OfDataSharesAreThoseOfTheGroupsOnAPool) {
  uint64_t seed = test::firstSeed();
  size_t partial = 0, onOnePool = 0;
  for (int round = 0; round < 400; ++round, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto pick = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    std::vector<std::pair<int64_t, int64_t>> nodes;
    for (int64_t pools = pick(2, 3); pools > 0; --pools)
      nodes.emplace_back(pick(1, 3), pick(1, 4));
    Cluster cluster = clusterOf(nodes);
    ClusterTopology topology(cluster);
    Strategy strategy;
    strategy.tensor = pick(1, 2);
    strategy.context = pick(1, 2);
    strategy.deviceOrder = {PlanAxis::Tensor, PlanAxis::Context,
                            PlanAxis::Pipeline, PlanAxis::Data};
    if (pick(0, 1))
      std::swap(strategy.deviceOrder[0], strategy.deviceOrder[1]);
    int64_t block = strategy.tensor * strategy.context;
    strategy.data = 0;
    for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
      int64_t room = topology.pools()[pool].count() / block;
      int64_t ranks = pick(0, room);
      if (ranks > 1)
        strategy.dataShares.push_back({pool, 1, 3});
      if (ranks > 0)
        strategy.dataShares.push_back({pool, ranks - (ranks > 1), 2});
      strategy.data += ranks;
      partial += ranks > 0 && ranks < room;
    }
    if (strategy.data == 0)
      continue;
    Farthest farthest(cluster, topology, strategy);
    AxisPaths paths(topology, strategy);
    for (const DataShare &share : strategy.dataShares) {
      unsigned pool = share.pool;
      for (PlanAxis axis :
           {PlanAxis::Tensor, PlanAxis::Context, PlanAxis::Data}) {
        std::string expected = farthest.on(pool, [&](size_t rank) {
          std::vector<int64_t> others;
          for (PlanAxis each : strategy.deviceOrder)
            if (each != axis)
              others.push_back(farthest.coordinate(rank, each));
          return others;
        });
        EXPECT_EQ(outermost(paths.axis(axis, pool)), expected)
            << nameOf(axis) << " on " << pool;
      }
      // Neighbours along the data × context ranks, context first.
      int64_t replicas = strategy.data * strategy.context;
      for (int64_t size = 1; size <= replicas; ++size) {
        // Groups that hold a part of the context axis are those of both.
        if (replicas % size != 0 ||
            (strategy.context % size != 0 && size % strategy.context != 0))
          continue;
        std::string expected = farthest.on(pool, [&](size_t rank) {
          int64_t place =
              farthest.coordinate(rank, PlanAxis::Data) * strategy.context +
              farthest.coordinate(rank, PlanAxis::Context);
          return std::pair(farthest.coordinate(rank, PlanAxis::Tensor),
                           place / size);
        });
        std::string found = outermost(paths.replicas(1, size, pool));
        EXPECT_EQ(found, expected) << size << " replicas on " << pool;
        onOnePool += size > strategy.context && found != "interconnect";
      }
    }
  }
  EXPECT_GT(partial, 100u);
  EXPECT_GT(onOnePool, 50u);
}

class PlacementTest : public testing::Test {
protected:
  PlacementTest() : cluster(clusterOf({{1, 4}, {1, 4}})), topology(cluster) {
    strategy.pipeline = 4;
    for (int64_t stage = 0; stage < 4; ++stage)
      strategy.stages.push_back({stage, stage + 1, {}, unsigned(stage / 2)});
  }
  std::string problem() const { return verifyPlacement(topology, strategy); }

  Cluster cluster;
  ClusterTopology topology;
  Strategy strategy;
};

TEST_F(PlacementTest, StagesLieOnPoolsThatHaveRoom) {
  EXPECT_EQ(problem(), "");
  strategy.tensor = 2;
  EXPECT_EQ(problem(), "");
  strategy.stages[2].pool = 0;
  EXPECT_EQ(problem(), "3 pipeline ranks of 2 devices each do not fit on the 4 "
                       "devices of pool 0");
  strategy.stages[2].pool = 2;
  EXPECT_THAT(problem(), HasSubstr("stage 2 is on pool 2, but the cluster has "
                                   "2 kinds"));
  strategy.tensor = 3;
  EXPECT_EQ(problem(), "the plan has 12 ranks, but the cluster has 8 devices");
}

TEST_F(PlacementTest, OnlyOutermostStagesLieOnSeveralPools) {
  strategy.deviceOrder = {PlanAxis::Pipeline, PlanAxis::Tensor,
                          PlanAxis::Context, PlanAxis::Data};
  EXPECT_EQ(problem(), "");
  strategy.tensor = 2;
  EXPECT_THAT(problem(), HasSubstr("stages lie on several kinds"));
  for (Stage &stage : strategy.stages)
    stage.pool = 1;
  EXPECT_EQ(problem(),
            "1 ranks of 8 devices each do not fit on the 4 devices of pool 1");
  strategy.pipeline = 2;
  strategy.stages.resize(2);
  EXPECT_EQ(problem(), "");
}

TEST_F(PlacementTest, OnlyOutermostDataRanksLieOnSeveralPools) {
  strategy.pipeline = 1;
  strategy.stages = {{0, 1, {}, 0}};
  strategy.tensor = 2;
  strategy.data = 4;
  strategy.dataShares = {{0, 2, 1}, {1, 2, 1}};
  EXPECT_EQ(problem(), "");
  strategy.dataShares = {{0, 1, 1}, {0, 2, 2}, {1, 1, 1}};
  EXPECT_EQ(problem(), "3 data ranks of 2 devices each do not fit on the 4 "
                       "devices of pool 0");
  strategy.dataShares = {{0, 2, 1}, {3, 2, 1}};
  EXPECT_THAT(problem(), HasSubstr("data ranks are on pool 3"));
  strategy.dataShares = {{0, 2, 1}, {1, 2, 1}};
  strategy.deviceOrder = {PlanAxis::Data, PlanAxis::Tensor, PlanAxis::Context,
                          PlanAxis::Pipeline};
  EXPECT_THAT(problem(), HasSubstr("data ranks lie on several kinds"));
}

} // namespace
} // namespace shardsmith
