// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/Topology.h"

#include <gtest/gtest.h>

using namespace shardsmith;

namespace {

std::vector<int64_t> fanouts(const GroupPath &path) {
  std::vector<int64_t> result;
  for (const PathLevel &level : path.levels)
    result.push_back(level.fanout);
  return result;
}

using Fanouts = std::vector<int64_t>;

TEST(Topology, PathsFollowNodes) {
  ClusterResult found = findCluster("64xh100");
  ASSERT_TRUE(found.cluster);
  ClusterTopology topology(*found.cluster);
  EXPECT_EQ(topology.deviceCount(), 64);
  ASSERT_EQ(topology.pools().size(), 1u);
  EXPECT_EQ(fanouts(topology.path(1, 1)), Fanouts{});
  EXPECT_EQ(fanouts(topology.path(1, 8)), Fanouts{8});
  EXPECT_EQ(fanouts(topology.path(2, 4)), Fanouts{4});
  EXPECT_EQ(fanouts(topology.path(8, 8)), Fanouts{8});
  EXPECT_EQ(fanouts(topology.path(1, 64)), (Fanouts{8, 8}));
  EXPECT_EQ(fanouts(topology.path(2, 32)), (Fanouts{4, 8}));
  EXPECT_EQ(topology.path(8, 8).levels[0].name, "network");
  EXPECT_EQ(topology.path(1, 8).levels[0].name, "node");
  // Stride 3: 3, 3 and 2 members on nodes of 8.
  EXPECT_EQ(fanouts(topology.path(3, 8)), (Fanouts{3, 3}));
}

} // namespace
