// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/Topology.h"
#include "../FirstSeed.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <set>

using namespace shardsmith;
using Json = nlohmann::json;

namespace {

using Fanouts = std::vector<int64_t>;

Fanouts fanouts(const GroupPath &path) {
  Fanouts result;
  for (const PathLevel &level : path.levels)
    result.push_back(level.fanout);
  return result;
}

Cluster builtin(const std::string &name) {
  ClusterResult found = findCluster(name);
  EXPECT_TRUE(found.cluster) << found.errorText();
  return *found.cluster;
}

Cluster clusterOf(const Json &json) {
  ClusterResult found = readCluster(json.dump());
  EXPECT_TRUE(found.cluster) << found.errorText();
  return *found.cluster;
}

/// Links of efficiency 1: 100 GB/s in nodes, 10 GB/s per interface.
Json describe(Json groups) {
  Json device = {{"memory_gib", 16},
                 {"memory_bandwidth_gb_per_s", 900},
                 {"peak_tflops", {{"f32", 10}}}};
  auto link = [](double bandwidth, double latency) {
    return Json{{"bandwidth_gb_per_s", bandwidth},
                {"latency_us", latency},
                {"efficiency", 1}};
  };
  return {{"version", 1},
          {"device_types", {{"d", device}, {"e", device}}},
          {"link_types",
           {{"fabric", link(100, 2)},
            {"net", link(10, 5)},
            {"trunk", link(40, 50)},
            {"wan", link(1, 10000)}}},
          {"groups", groups}};
}

Json node(int64_t count, int64_t devices, int64_t interfaces = 1) {
  return {{"count", count},
          {"devices", {{{"type", "d"}, {"count", devices}}}},
          {"fabric", {{"link", "fabric"}}},
          {"nics", {{"link", "net"}, {"count", interfaces}}}};
}

Json group(const char *name, int64_t copies, Json nodes) {
  return {{"name", name},
          {"count", copies},
          {"network", {{"link", "net"}}},
          {"node", nodes}};
}

TEST(Topology, PathsFollowNodes) {
  Cluster cluster = builtin("64xh100");
  ClusterTopology topology(cluster);
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
  // 3, 3 and 2 members on nodes of 8.
  EXPECT_EQ(fanouts(topology.path(3, 8)), (Fanouts{3, 3}));
  // Groups of six: some lie in a node, some on the border of two.
  EXPECT_EQ(fanouts(topology.path(1, 6)), (Fanouts{3, 2}));
  // A stage on the second node alone.
  EXPECT_EQ(fanouts(topology.path(1, 8, 8, 8)), Fanouts{8});
  EXPECT_EQ(fanouts(topology.path(1, 8, 4, 8)), (Fanouts{4, 2}));
}

TEST(Topology, InterfacesAreShared) {
  Cluster cluster = clusterOf(describe({group("g", 1, node(4, 8, 2))}));
  ClusterTopology topology(cluster);
  // Two interfaces for the eight groups of a node.
  EXPECT_DOUBLE_EQ(topology.path(8, 4).levels[0].bytesPerSecond, 2.5e9);
  // One group per node: its members have the same share each.
  EXPECT_DOUBLE_EQ(topology.path(1, 32).levels[1].bytesPerSecond, 2.5e9);
  EXPECT_DOUBLE_EQ(topology.path(1, 32).levels[0].bytesPerSecond, 100e9);
  // A pipeline of two stages per node: one member of four groups sends.
  EXPECT_DOUBLE_EQ(topology.path(4, 8).levels[1].pairBytesPerSecond, 5e9);
  // Groups of six: at most two cross a node's border, three members each.
  EXPECT_NEAR(topology.path(1, 6).levels[1].bytesPerSecond, 20e9 / 6, 1);

  Json oversubscribed = describe({group("g", 1, node(4, 8, 2))});
  oversubscribed["groups"][0]["network"]["oversubscription"] = 4;
  Cluster slow = clusterOf(oversubscribed);
  EXPECT_DOUBLE_EQ(ClusterTopology(slow).path(8, 4).levels[0].bytesPerSecond,
                   2.5e9 / 4);

  Json rails = describe({group("g", 1, node(4, 8, 8))});
  rails["groups"][0]["network"]["rails"] = 8;
  rails["groups"][0]["node"]["nics"]["affinity"] = "1:1";
  Cluster railed = clusterOf(rails);
  EXPECT_DOUBLE_EQ(ClusterTopology(railed).path(8, 4).levels[0].bytesPerSecond,
                   10e9);
}

TEST(Topology, IslandsTalkOverTheHost) {
  Json json = describe({group("g", 1, node(2, 8))});
  json["groups"][0]["node"]["fabric"]["islands"] = {4, 4};
  json["groups"][0]["node"]["host"] = {{"pcie_gb_per_s", 25}};
  Cluster cluster = clusterOf(json);
  ClusterTopology topology(cluster);
  EXPECT_EQ(topology.path(1, 4).levels[0].name, "island");
  GroupPath path = topology.path(1, 16);
  EXPECT_EQ(fanouts(path), (Fanouts{4, 2, 2}));
  EXPECT_EQ(path.levels[1].name, "node");
  EXPECT_DOUBLE_EQ(path.levels[1].bytesPerSecond, 25e9);
}

TEST(Topology, InterconnectsNestByBandwidth) {
  // Two copies joined by a trunk, and a third site behind a lossy line.
  Json json = describe({group("h", 2, node(2, 4)), group("a", 1, node(2, 4))});
  json["interconnects"] = {
      {{"between", {"h[0]", "h[1]"}}, {"link", "trunk"}, {"parallel", 2}},
      {{"between", {"h[*]", "a[0]"}}, {"link", "wan"}}};
  Cluster cluster = clusterOf(json);
  ClusterTopology topology(cluster);
  GroupPath two = topology.path(1, 16);
  EXPECT_EQ(fanouts(two), (Fanouts{4, 2, 2}));
  EXPECT_EQ(two.levels[2].name, "interconnect");
  // The trunk would carry 80 / 8 per device, its interface 10 / 4.
  EXPECT_DOUBLE_EQ(two.levels[2].bytesPerSecond, 2.5e9);
  GroupPath all = topology.path(1, 24);
  EXPECT_EQ(fanouts(all), (Fanouts{4, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(all.levels[3].bytesPerSecond, 1e9 / 16);

  json["link_types"]["wan"]["loss"] = 1e-4;
  json["link_types"]["wan"]["tcp_streams"] = 4;
  Cluster lossy = clusterOf(json);
  // 4 streams of 1.22 · 1460 bytes per 20 ms and root of the loss.
  EXPECT_NEAR(ClusterTopology(lossy).path(1, 24).levels[3].bytesPerSecond,
              4 * 1.22 * 1460 / 0.02 / 0.01 / 16, 1);

  json["interconnects"].erase(1);
  Cluster apart = clusterOf(json);
  GroupPath none = ClusterTopology(apart).path(1, 24);
  EXPECT_EQ(none.levels.back().name, "unconnected");
  EXPECT_FALSE(none.isConnected());
  EXPECT_TRUE(all.isConnected());
}

TEST(Topology, TorusGroupsUseTheLinksOfTheirDirection) {
  Cluster cluster = builtin("64xtpu-v4");
  ASSERT_EQ(cluster.groups[0].network.dims, (Fanouts{4, 4, 4}));
  ClusterTopology topology(cluster);
  double all = 6 * 45e9 * 0.85;
  EXPECT_NEAR(topology.path(1, 64).levels[0].bytesPerSecond, all, 1);
  // One dimension of three; neighbours are one hop apart in each.
  for (int64_t stride : {1, 4, 16})
    EXPECT_NEAR(topology.path(stride, 4).levels[0].bytesPerSecond, all / 3, 1);
  EXPECT_NEAR(topology.path(1, 16).levels[0].bytesPerSecond, all * 2 / 3, 1);
  EXPECT_NEAR(topology.path(1, 16).levels[0].pairBytesPerSecond, all / 6, 1);
  // Two hops apart.
  EXPECT_NEAR(topology.path(2, 2).levels[0].bytesPerSecond, all / 6, 1);
}

TEST(Topology, FullMeshesAddUpCables) {
  Cluster cluster = builtin("8xmi300x");
  ClusterTopology topology(cluster);
  double cable = 64e9 * 0.7;
  EXPECT_NEAR(topology.path(1, 8).levels[0].bytesPerSecond, 7 * cable, 1);
  EXPECT_NEAR(topology.path(4, 2).levels[0].bytesPerSecond, cable, 1);
  EXPECT_NEAR(topology.path(1, 8).levels[0].pairBytesPerSecond, cable, 1);
}

TEST(Topology, ChangedLinksSlowTheGroupsThatUseThem) {
  Json json = describe({group("g", 1, node(4, 8, 8))});
  json["links"] = {
      {{"from", "g[0].n[1].d[2]"}, {"to", "g[0].n[1].d[3]"}, {"scale", 0.25}}};
  Cluster cluster = clusterOf(json);
  ClusterTopology topology(cluster);
  EXPECT_DOUBLE_EQ(topology.path(1, 8).levels[0].bytesPerSecond, 25e9);
  EXPECT_DOUBLE_EQ(topology.path(1, 8, 16, 16).levels[0].bytesPerSecond, 100e9);
  // Devices 2 and 3 are in different groups.
  EXPECT_DOUBLE_EQ(topology.path(2, 4).levels[0].bytesPerSecond, 100e9);
  EXPECT_DOUBLE_EQ(topology.path(1, 32).levels[1].bytesPerSecond, 10e9);

  // One of eight interfaces is gone.
  json["links"] = {{{"from", "g[0].n[1].nic[3]"},
                    {"to", "g[0].n[2].nic[3]"},
                    {"down", true}}};
  Cluster broken = clusterOf(json);
  EXPECT_DOUBLE_EQ(ClusterTopology(broken).path(8, 4).levels[0].bytesPerSecond,
                   8.75e9);
  EXPECT_DOUBLE_EQ(ClusterTopology(broken).path(1, 8).levels[0].bytesPerSecond,
                   100e9);

  // A line between two nodes of which only one pair of devices takes it.
  json["links"] = {
      {{"from", "g[0].n[0].d[0]"}, {"to", "g[0].n[1].d[0]"}, {"link", "wan"}}};
  Cluster odd = clusterOf(json);
  EXPECT_DOUBLE_EQ(ClusterTopology(odd).path(8, 4).levels[0].bytesPerSecond,
                   1e9);
  EXPECT_DOUBLE_EQ(ClusterTopology(odd).path(1, 8).levels[0].bytesPerSecond,
                   100e9);
}

TEST(Topology, PoolsAreRunsOfOneType) {
  Json first = node(2, 4), second = node(1, 6);
  second["devices"][0]["type"] = "e";
  Json json = describe({group("a", 1, first), group("b", 1, second)});
  json["limits"] = {{"exclude", {"a[0].n[0].d[1]"}}, {"max_devices", 12}};
  Cluster cluster = clusterOf(json);
  ClusterTopology topology(cluster);
  EXPECT_EQ(topology.deviceCount(), 12);
  ASSERT_EQ(topology.pools().size(), 2u);
  EXPECT_EQ(topology.pools()[0].count(), 7);
  EXPECT_EQ(topology.pools()[1].type, "e");
  EXPECT_EQ(topology.pools()[1].count(), 5);
}

/// Device by device, as long as money and power last.
std::vector<int64_t> usableOneByOne(const Cluster &cluster) {
  constexpr double rounding = 1e-6;
  const Limits &limits = cluster.limits;
  double dollars = 0, watts = 0;
  std::vector<int64_t> usable;
  for (int64_t device = 0; device < cluster.deviceCount(); ++device) {
    if (std::ranges::any_of(limits.exclude, [&](const std::string &path) {
          return cluster.resolve(path) == device;
        }))
      continue;
    dollars += *cluster.deviceType(device).dollarsPerHour;
    watts += *cluster.deviceType(device).watts;
    if ((limits.dollarsPerHour &&
         dollars > *limits.dollarsPerHour + rounding) ||
        (limits.kilowatts && watts > 1000 * *limits.kilowatts + rounding) ||
        (limits.maxDevices && int64_t(usable.size()) == *limits.maxDevices))
      break;
    usable.push_back(device);
  }
  return usable;
}

TEST(Topology, LimitsAreEnoughForTheFirstDevices) {
  std::mt19937_64 random(shardsmith::test::firstSeed());
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  size_t limited = 0;
  for (int round = 0; round < 500; ++round) {
    Json mixed = node(pick(1, 4), pick(1, 6));
    if (pick(0, 1))
      mixed["devices"].push_back({{"type", "e"}, {"count", pick(1, 4)}});
    Json second = node(pick(1, 3), pick(1, 6));
    second["devices"][0]["type"] = "e";
    Json json =
        describe({group("a", pick(1, 2), mixed), group("b", 1, second)});
    for (const char *type : {"d", "e"}) {
      // Tenths, of which no binary number is a sum.
      json["device_types"][type]["price_per_hour_usd"] =
          0.1 * double(pick(0, 9));
      json["device_types"][type]["power_w"] = 100 * pick(1, 7);
    }
    Json &limits = json["limits"] = Json::object();
    if (pick(0, 2))
      limits["budget_usd_per_hour"] = 0.1 * double(pick(1, 150));
    if (pick(0, 2) == 0)
      limits["power_kw"] = 0.1 * double(pick(1, 150));
    if (pick(0, 3) == 0)
      limits["max_devices"] = pick(1, 20);
    if (pick(0, 2) == 0)
      limits["exclude"] = {"a[0].n[0].d[0]"};
    ClusterResult read = readCluster(json.dump());
    ASSERT_TRUE(read.cluster || limits.contains("exclude"))
        << read.errorText() << json;
    if (!read.cluster)
      continue;
    std::vector<int64_t> expected = usableOneByOne(*read.cluster);
    ASSERT_EQ(read.cluster->usableDevices(), expected) << json;
    EXPECT_EQ(read.cluster->limitsProblem().empty(), !expected.empty());
    if (expected.empty())
      continue;
    EXPECT_EQ(ClusterTopology(*read.cluster).deviceCount(),
              int64_t(expected.size()));
    limited += expected.size() < size_t(read.cluster->deviceCount());
  }
  EXPECT_GT(limited, 100u);
}

TEST(Topology, LimitsNeedPricesAndPower) {
  Json json = describe({group("a", 1, node(2, 4))});
  json["limits"]["budget_usd_per_hour"] = 5;
  EXPECT_EQ(clusterOf(json).limitsProblem(),
            "/limits/budget_usd_per_hour needs price_per_hour_usd of every "
            "device, but device type \"d\" of cluster \"\" has none");
  json["device_types"]["d"]["price_per_hour_usd"] = 1;
  EXPECT_EQ(clusterOf(json).limitsProblem(), "");
  json["limits"]["power_kw"] = 1;
  EXPECT_EQ(clusterOf(json).limitsProblem(),
            "/limits/power_kw needs power_w of every device, but device type "
            "\"d\" of cluster \"\" has none");
  json["device_types"]["d"]["power_w"] = 1100;
  EXPECT_EQ(clusterOf(json).limitsProblem(),
            "/limits of cluster \"\" leave no device: the first one needs more "
            "than budget_usd_per_hour or power_kw");
}

/// How far apart the members of any group are, device by device.
std::string farthestByDevices(const Cluster &cluster, int64_t stride,
                              int64_t size, int64_t first, int64_t span) {
  std::vector<int64_t> devices = cluster.usableDevices();
  int farthest = 0;
  for (int64_t start = 0; start < span; ++start) {
    if (start % (stride * size) >= stride)
      continue;
    DevicePosition a = positionOf(cluster, devices[first + start]);
    for (int64_t member = 1; member < size; ++member) {
      DevicePosition b =
          positionOf(cluster, devices[first + start + member * stride]);
      int distance = a.group != b.group || a.copy != b.copy ? 3
                     : a.node != b.node                     ? 2
                                                            : 1;
      farthest = std::max(farthest, distance);
    }
  }
  return std::array{"", "node", "network", "interconnect"}[farthest];
}

TEST(Topology, DistancesEqualThoseOfTheDevices) {
  std::mt19937_64 random(shardsmith::test::firstSeed());
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 400; ++round) {
    Json json =
        describe({group("a", pick(1, 3), node(pick(1, 5), pick(1, 9)))});
    json["interconnects"] = Json::array();
    int64_t copies = json["groups"][0]["count"];
    for (int64_t copy = 1; copy < copies; ++copy)
      json["interconnects"].push_back(
          {{"between", {"a[0]", "a[" + std::to_string(copy) + "]"}},
           {"link", "trunk"}});
    if (pick(0, 1)) {
      json["groups"].push_back(group("b", 1, node(pick(1, 4), pick(1, 9))));
      json["interconnects"].push_back(
          {{"between", {"a[*]", "b[0]"}}, {"link", "trunk"}});
    }
    if (pick(0, 3) == 0 && json["groups"][0]["node"]["devices"][0]["count"] > 1)
      json["limits"] = {{"exclude", {"a[0].n[0].d[1]"}}};
    Cluster cluster = clusterOf(json);
    ClusterTopology topology(cluster);
    int64_t ranks = topology.deviceCount();
    for (int query = 0; query < 40; ++query) {
      int64_t size = pick(1, ranks), stride = pick(1, ranks / size);
      int64_t chunks = pick(1, ranks / (stride * size));
      int64_t span = stride * size * chunks;
      int64_t first = pick(0, ranks - span);
      GroupPath path = topology.path(stride, size, first, span);
      std::string expected =
          farthestByDevices(cluster, stride, size, first, span);
      std::string found = path.levels.empty() ? "" : path.levels.back().name;
      ASSERT_EQ(found, expected)
          << "round " << round << ": stride " << stride << " size " << size
          << " first " << first << " span " << span << "\n"
          << json;
    }
  }
}

TEST(Topology, TheSameMachinesInOtherWordsHaveTheSamePaths) {
  // One group of four nodes, or two of two with the same wires between them.
  Cluster whole = clusterOf(describe({group("g", 1, node(4, 6))}));
  Json named = describe({group("other", 1, node(4, 6))});
  named["device_types"]["z"] = named["device_types"]["d"];
  named["groups"][0]["node"]["devices"] = {{{"type", "z"}, {"count", 2}},
                                           {{"type", "z"}, {"count", 4}}};
  Cluster renamed = clusterOf(named);
  ClusterTopology a(whole), b(renamed);
  for (int64_t size = 2; size <= 24; ++size)
    for (int64_t stride = 1; stride * size <= 24; ++stride) {
      GroupPath first = a.path(stride, size), second = b.path(stride, size);
      for (PathLevel &level : second.levels)
        level.group = "g";
      EXPECT_EQ(first, second);
    }
}

TEST(Topology, HugeClustersAreDescribedByRuns) {
  Cluster cluster = builtin("131072x8xh100");
  ClusterTopology topology(cluster);
  EXPECT_EQ(topology.deviceCount(), 1 << 20);
  EXPECT_EQ(fanouts(topology.path(1, 1 << 20)), (Fanouts{8, 131072}));
  EXPECT_EQ(fanouts(topology.path(7, 1000)), (Fanouts{2, 500}));
}

} // namespace
