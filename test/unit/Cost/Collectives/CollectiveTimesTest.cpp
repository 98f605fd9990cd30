// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <random>

using namespace shardsmith;

namespace {

constexpr CollectiveOp allOps[] = {
    CollectiveOp::AllReduce, CollectiveOp::AllGather,
    CollectiveOp::ReduceScatter, CollectiveOp::AllToAll,
    CollectiveOp::SendReceive};

Cluster clusterOf(const std::string &name) {
  ClusterResult found = findCluster(name);
  EXPECT_TRUE(found.cluster) << found.errorText();
  return *found.cluster;
}

/// Two nodes of four with plain links: no fits, efficiency 1.
constexpr const char *plainCluster = R"({"version": 1,
  "device_types": {"d": {"memory_gib": 16, "memory_bandwidth_gb_per_s": 900,
                         "peak_tflops": {"f32": 10}}},
  "link_types": {
    "fabric": {"bandwidth_gb_per_s": 100, "latency_us": 2, "efficiency": 1},
    "net": {"bandwidth_gb_per_s": 10, "latency_us": 5, "efficiency": 1}},
  "groups": [{"name": "g", "network": {"link": "net"},
    "node": {"count": 2, "devices": [{"type": "d", "count": 4}],
             "fabric": {"link": "fabric"},
             "nics": {"link": "net", "count": 1}}}]})";

Cluster plain(const std::string &more = "") {
  std::string text = plainCluster;
  text.insert(text.size() - 1, more);
  ClusterResult found = readCluster(text);
  EXPECT_TRUE(found.cluster) << found.errorText();
  return *found.cluster;
}

double microseconds(const CollectiveTime &time) {
  return double(time.time.count()) / 1e3;
}

TEST(CollectiveTimes, PlainLinksFollowTheFormulas) {
  Cluster cluster = plain();
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  GroupPath node = topology.path(1, 4);
  // 3 steps of (2 us + 1/4 of 4 MB at 100 GB/s).
  EXPECT_NEAR(
      microseconds(times.time(CollectiveOp::AllGather, node, Bytes(4'000'000))),
      3 * (2 + 10), 0.01);
  CollectiveTime reduce =
      times.time(CollectiveOp::AllReduce, node, Bytes(4'000'000));
  EXPECT_EQ(reduce.algorithm, "ring");
  EXPECT_NEAR(microseconds(reduce), 2 * 3 * (2 + 10), 0.01);
  // Small: two passes of a tree of depth two.
  CollectiveTime small = times.time(CollectiveOp::AllReduce, node, Bytes(8));
  EXPECT_EQ(small.algorithm, "tree");
  EXPECT_NEAR(microseconds(small), 8, 0.01);
  // One interface for four devices.
  GroupPath across = topology.path(4, 2);
  EXPECT_NEAR(microseconds(times.time(CollectiveOp::SendReceive, across,
                                      Bytes(1'000'000))),
              5 + 400, 0.01);
}

TEST(CollectiveTimes, AllToAllSendsOnlyWhatLeaves) {
  Cluster cluster = plain();
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  // Three of four parts of 4 MB at 100 GB/s, after three messages.
  EXPECT_NEAR(microseconds(times.time(CollectiveOp::AllToAll,
                                      topology.path(1, 4), Bytes(4'000'000))),
              3 * 2 + 30, 0.01);
  // Half of 4 GB leaves the node, at a quarter of its interface.
  EXPECT_NEAR(
      microseconds(times.time(CollectiveOp::AllToAll, topology.path(1, 8),
                              Bytes(4'000'000'000))),
      800'000, 8'000);
}

TEST(CollectiveTimes, ImpairedLinksSlowFittedNodes) {
  Cluster cluster = clusterOf("8xh100");
  ClusterTopology topology(cluster);
  Cluster impaired = cluster;
  impaired.links.push_back({.from = "g[0].n[0].d[1]",
                            .to = "g[0].n[0].d[2]",
                            .oneway = false,
                            .down = false,
                            .scale = 0.5,
                            .link = std::nullopt});
  ClusterTopology impairedTopology(impaired);
  StackProfile profile;
  for (CollectiveOp op :
       {CollectiveOp::AllReduce, CollectiveOp::AllGather,
        CollectiveOp::ReduceScatter, CollectiveOp::AllToAll}) {
    Bytes bytes(int64_t(16) << 30);
    double before = microseconds(
        CollectiveTimes(cluster, profile).time(op, topology.path(1, 8), bytes));
    double after =
        microseconds(CollectiveTimes(impaired, profile)
                         .time(op, impairedTopology.path(1, 8), bytes));
    EXPECT_NEAR(after, 2 * before, 0.1 * before);
  }
}

TEST(CollectiveTimes, SlowNetworksSlowOnlyWhatLeavesTheNode) {
  Cluster cluster = clusterOf("4x8xa100");
  ClusterTopology topology(cluster);
  StackProfile profile, slow;
  slow.networkRate = 0.25;
  CollectiveTimes all(cluster, profile), quarter(cluster, slow);
  Bytes bytes(int64_t(16) << 30);
  for (CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather,
                          CollectiveOp::ReduceScatter, CollectiveOp::AllToAll,
                          CollectiveOp::SendReceive}) {
    GroupPath inside = topology.path(1, 8), across = topology.path(8, 4);
    EXPECT_EQ(quarter.time(op, inside, bytes).time,
              all.time(op, inside, bytes).time);
    double before = microseconds(all.time(op, across, bytes));
    double after = microseconds(quarter.time(op, across, bytes));
    EXPECT_NEAR(after, 4 * before, 0.1 * before);
    double last = after;
    for (double rate : {0.3, 0.5, 0.8, 1.2}) {
      slow.networkRate = rate;
      double next = microseconds(quarter.time(op, topology.path(1, 32), bytes));
      if (rate > 0.3) {
        EXPECT_LE(next, last);
      }
      last = next;
    }
    slow.networkRate = 0.25;
  }
}

TEST(CollectiveTimes, MeasuredCurvesWin) {
  Cluster cluster = plain(R"(, "calibration": [{"collective": "all_gather",
    "scope": "g.node", "group_size": 4,
    "points_bytes_us": [[1000, 50], [1000000, 100]]}])");
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  GroupPath node = topology.path(1, 4);
  auto gather = [&](int64_t bytes) {
    return times.time(CollectiveOp::AllGather, node, Bytes(bytes));
  };
  EXPECT_EQ(gather(1000).algorithm, "measured");
  EXPECT_EQ(gather(1000).provenance, Provenance::Measured);
  EXPECT_NEAR(microseconds(gather(10)), 50, 0.01);
  EXPECT_NEAR(microseconds(gather(31623)), 50 * std::sqrt(2.0), 0.1);
  EXPECT_NEAR(microseconds(gather(10'000'000)), 1000, 0.1);
  // Another size or scope is not meant.
  EXPECT_NE(
      times.time(CollectiveOp::AllGather, topology.path(1, 2), Bytes(1000))
          .algorithm,
      "measured");
  EXPECT_NE(
      times.time(CollectiveOp::AllGather, topology.path(2, 4), Bytes(1000))
          .algorithm,
      "measured");
}

TEST(CollectiveTimes, AllowedAlgorithmsOnly) {
  Cluster cluster =
      plain(R"(, "collectives": {"all_reduce": {"algorithms": ["tree"]}})");
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  EXPECT_EQ(
      times.time(CollectiveOp::AllReduce, topology.path(1, 4), Bytes(1 << 30))
          .algorithm,
      "tree");
}

TEST(CollectiveTimes, BuiltinNodesReachMeasuredBandwidth) {
  // Bus bandwidth of all-reduces of 512 MiB on eight devices:
  // ai-dynamo/aiconfigurator, VIA-Research/vTrain.
  const std::pair<const char *, double> cases[] = {
      {"8xa100", 223e9}, {"8xh100", 440e9}, {"8xv100", 133e9}};
  StackProfile profile;
  for (auto [name, expected] : cases) {
    SCOPED_TRACE(name);
    Cluster cluster = clusterOf(name);
    ClusterTopology topology(cluster);
    CollectiveTimes times(cluster, profile);
    CollectiveTime time = times.time(CollectiveOp::AllReduce,
                                     topology.path(1, 8), Bytes(512 << 20));
    double bus = 1.75 * double(512 << 20) / (double(time.time.count()) * 1e-9);
    EXPECT_NEAR(bus, expected, 0.1 * expected);
  }
}

struct NetworkCase {
  const char *cluster;
  double gigabytesPerSecond;
  int64_t interfaces;
  /// Bytes and microseconds of all-reduces over all devices:
  /// aws-samples/awsome-distributed-training (A100, H100),
  /// stas00/ml-engineering (B200).
  std::vector<std::pair<double, double>> points;
};

TEST(CollectiveTimes, NetworksApproachMeasuredTimes) {
  const NetworkCase cases[] = {{"2x8xh100",
                                50,
                                8,
                                {{1.049e6, 123.2},
                                 {3.355e7, 439.7},
                                 {1.342e8, 870.3},
                                 {5.369e8, 2559.2},
                                 {2.147e9, 9074.5}}},
                               {"4x8xb200",
                                50,
                                8,
                                {{1.049e6, 378.3},
                                 {3.355e7, 712.9},
                                 {1.342e8, 1313.8},
                                 {5.369e8, 3182.0},
                                 {2.147e9, 11172}}},
                               {"2x8xa100-80",
                                12.5,
                                4,
                                {{1.049e6, 309.4},
                                 {3.355e7, 1540.2},
                                 {1.342e8, 3912.9},
                                 {5.369e8, 13552},
                                 {2.147e9, 51406}}}};
  StackProfile profile;
  for (const NetworkCase &each : cases) {
    SCOPED_TRACE(each.cluster);
    Cluster cluster = clusterOf(each.cluster);
    LinkType &network = cluster.linkTypes["network"];
    network.latencySeconds = 25e-6;
    network.bytesPerSecond = each.gigabytesPerSecond * 1e9;
    Node &node = cluster.groups[0].node;
    node.nicCount = each.interfaces;
    if (each.interfaces != 8) {
      node.nicAffinity = "shared";
      cluster.groups[0].network.rails = 1;
    }
    ClusterTopology topology(cluster);
    CollectiveTimes times(cluster, profile);
    GroupPath all = topology.path(1, topology.deviceCount());
    for (auto [bytes, measured] : each.points) {
      double predicted = microseconds(
          times.time(CollectiveOp::AllReduce, all, Bytes(int64_t(bytes))));
      EXPECT_LT(predicted, 1.1 * measured) << bytes;
      EXPECT_GT(predicted, (bytes > 1e8 ? 0.75 : 0.4) * measured) << bytes;
    }
  }
}

TEST(CollectiveTimes, GroupsOfOneAreFreeAndAbsurdSizesSaturate) {
  Cluster cluster = clusterOf("64xh100");
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  for (CollectiveOp op : allOps) {
    EXPECT_EQ(times.time(op, topology.path(8, 1), Bytes(1 << 30)).time,
              Nanoseconds(0));
    EXPECT_TRUE(times.time(op, topology.path(1, 64), Bytes::saturated())
                    .time.isSaturated());
    EXPECT_EQ(times.time(op, topology.path(1, 64), Bytes(0)).time,
              Nanoseconds(0));
  }
}

/// Bytes more never take less; a faster network never takes more; an
/// all-reduce is about a reduce-scatter and an all-gather.
TEST(CollectiveTimes, WhatNoLinkJoinsNeverEnds) {
  Cluster cluster = plain();
  cluster.groups.push_back(cluster.groups.front());
  cluster.groups.back().name = "other";
  ClusterTopology topology(cluster);
  StackProfile profile;
  CollectiveTimes times(cluster, profile);
  for (CollectiveOp op : allOps) {
    EXPECT_LT(microseconds(times.time(op, topology.path(1, 8), Bytes(1))), 1e3);
    EXPECT_TRUE(
        times.time(op, topology.path(8, 2), Bytes(1)).time.isSaturated());
    EXPECT_TRUE(
        times.time(op, topology.path(1, 16), Bytes(1)).time.isSaturated());
  }
}

TEST(CollectiveTimes, TimesAreMonotone) {
  constexpr const char *names[] = {"64xh100",   "3x7xa100-80", "4x4xl40s",
                                   "144xgb200", "64xtpu-v4",   "16xmi300x",
                                   "8xrtx4090", "cpu:8"};
  std::mt19937_64 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  StackProfile profile;
  for (const char *name : names) {
    SCOPED_TRACE(name);
    Cluster cluster = clusterOf(name);
    Cluster faster = cluster;
    for (auto &[linkName, link] : faster.linkTypes) {
      link.bytesPerSecond *= 1.5;
      for (CollectiveFit &fit : link.collectiveFits)
        fit.bytesPerSecond *= 1.5;
    }
    ClusterTopology topology(cluster), fasterTopology(faster);
    CollectiveTimes times(cluster, profile), fasterTimes(faster, profile);
    for (int round = 0; round < 500; ++round) {
      int64_t size = pick(2, topology.deviceCount());
      int64_t stride = pick(1, topology.deviceCount() / size);
      GroupPath path = topology.path(stride, size);
      GroupPath fasterPath = fasterTopology.path(stride, size);
      Bytes bytes(int64_t(1) << pick(0, 34));
      for (CollectiveOp op : allOps) {
        Nanoseconds time = times.time(op, path, bytes).time;
        EXPECT_GT(time, Nanoseconds(0));
        EXPECT_LE(time, times.time(op, path, bytes + Bytes(1000)).time);
        EXPECT_LE(time, times.time(op, path, bytes * 2).time);
        EXPECT_GE(time, fasterTimes.time(op, fasterPath, bytes).time)
            << nameOf(op) << " stride " << stride << " size " << size;
      }
      Nanoseconds parts =
          times.time(CollectiveOp::AllGather, path, bytes).time +
          times.time(CollectiveOp::ReduceScatter, path, bytes).time;
      Nanoseconds reduce =
          times.time(CollectiveOp::AllReduce, path, bytes).time;
      EXPECT_LE(reduce.count(), 1.35 * double(parts.count()))
          << "stride " << stride << " size " << size << " bytes "
          << bytes.count();
    }
  }
}

} // namespace
