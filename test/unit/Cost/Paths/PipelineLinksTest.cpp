// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/PipelineLinks.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <string>

namespace shardsmith {
namespace {

/// Eight devices of each of three kinds, a slow link from one kind to the next.
class PipelineLinksTest : public testing::Test {
protected:
  PipelineLinksTest() {
    cluster = *findCluster("8xh100").cluster;
    for (const char *kind : {"second", "third"}) {
      Group group = cluster.groups.front();
      cluster.deviceTypes[kind] =
          cluster.deviceTypes.at(group.node.devices.front().type);
      group.name = kind;
      group.node.devices.front().type = kind;
      LinkType slow;
      slow.bytesPerSecond = kind == std::string("third") ? 1e9 : 5e9;
      slow.latencySeconds = 1e-4;
      std::string link = std::string("to ") + kind;
      cluster.linkTypes[link] = slow;
      cluster.interconnects.push_back(
          {cluster.groups.back().name + "[0]", group.name + "[0]", link, 1});
      cluster.groups.push_back(group);
    }
  }

  /// The link that each message takes at its slowest, stage by stage of the
  /// rank; nothing where a rank hands on to itself.
  std::vector<std::string> linksOf(int64_t rank,
                                   const std::vector<unsigned> &pools) {
    ClusterTopology topology(cluster);
    PipelineLinks links(topology, strategy, pools);
    std::vector<std::string> names;
    for (const GroupPath *path : links.ofRank(rank))
      names.push_back(path->levels.empty() ? "" : path->levels.back().link);
    return names;
  }

  using Names = std::vector<std::string>;
  Cluster cluster;
  Strategy strategy;
};

TEST_F(PipelineLinksTest, RanksOfOneKindStayOnTheirLinks) {
  strategy.tensor = 2;
  strategy.pipeline = 4;
  std::string inside = cluster.groups.front().node.fabricLink;
  EXPECT_EQ(linksOf(0, {0, 0, 1, 1}), Names{inside});
  EXPECT_EQ(linksOf(1, {0, 0, 1, 1}), Names{"to second"});
  EXPECT_EQ(linksOf(2, {0, 0, 1, 1}), Names{inside});
  EXPECT_EQ(linksOf(3, {0, 0, 1, 1}), Names());
  // All on kinds that are not the first, too.
  for (unsigned pool : {0u, 1u, 2u})
    EXPECT_EQ(linksOf(1, std::vector(4, pool)), Names{inside});
}

TEST_F(PipelineLinksTest, OrderMeansNothing) {
  strategy.pipeline = 3;
  EXPECT_EQ(linksOf(1, {0, 0, 1}), Names{"to second"});
  EXPECT_EQ(linksOf(1, {1, 1, 0}), Names{"to second"});
}

TEST_F(PipelineLinksTest, TheSlowestBorderOnTheWayCounts) {
  strategy.pipeline = 2;
  EXPECT_EQ(linksOf(0, {0, 2}), Names{"to third"});
  EXPECT_EQ(linksOf(0, {2, 1}), Names{"to third"});
  std::swap(cluster.linkTypes.at("to second").bytesPerSecond,
            cluster.linkTypes.at("to third").bytesPerSecond);
  EXPECT_EQ(linksOf(0, {0, 2}), Names{"to second"});
}

TEST_F(PipelineLinksTest, StagesOfARankHandOnToDifferentRanks) {
  std::string inside = cluster.groups.front().node.fabricLink;
  strategy.pipeline = 3;
  strategy.virtualStages = 2;
  strategy.schedule = ScheduleFamily::Interleaved;
  // Around: from the last rank back to the first one.
  EXPECT_EQ(linksOf(0, {0, 0, 1}), (Names{inside, inside}));
  EXPECT_EQ(linksOf(1, {0, 0, 1}), (Names{"to second", "to second"}));
  EXPECT_EQ(linksOf(2, {0, 0, 1}), Names{"to second"});
  // Forth and back: the last rank hands on to itself.
  strategy.schedule = ScheduleFamily::ZeroBubbleV;
  EXPECT_EQ(linksOf(0, {0, 0, 1}), Names{inside});
  EXPECT_EQ(linksOf(1, {0, 0, 1}), (Names{"to second", inside}));
  EXPECT_EQ(linksOf(2, {0, 0, 1}), (Names{"", "to second"}));
}

TEST_F(PipelineLinksTest, PlacesAreThoseOfEqualPaths) {
  strategy.pipeline = 4;
  ClusterTopology topology(cluster);
  std::vector<unsigned> pools = {0, 0, 0, 1};
  PipelineLinks links(topology, strategy, pools);
  EXPECT_EQ(links.placeOf(0), links.placeOf(1));
  EXPECT_NE(links.placeOf(1), links.placeOf(2));
  EXPECT_NE(links.placeOf(2), links.placeOf(3));
}

} // namespace
} // namespace shardsmith
