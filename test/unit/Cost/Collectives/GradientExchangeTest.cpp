// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Collectives/GradientExchange.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace shardsmith {
namespace {

/// Machines of four devices with plain links: no fits, efficiency 1.
Cluster machinesOf(int64_t machines) {
  ClusterResult found = readCluster(fmt::format(
      R"({{"version": 1,
  "device_types": {{"d": {{"memory_gib": 16, "memory_bandwidth_gb_per_s": 900,
                           "peak_tflops": {{"f32": 10}}}}}},
  "link_types": {{
    "fabric": {{"bandwidth_gb_per_s": 100, "latency_us": 2, "efficiency": 1}},
    "net": {{"bandwidth_gb_per_s": 10, "latency_us": 5, "efficiency": 1}}}},
  "groups": [{{"name": "g", "network": {{"link": "net"}},
    "node": {{"count": {}, "devices": [{{"type": "d", "count": 4}}],
             "fabric": {{"link": "fabric"}},
             "nics": {{"link": "net", "count": 1}},
             "host": {{"pcie_gb_per_s": 25}}}}}}]}})",
      machines));
  EXPECT_TRUE(found.cluster) << found.errorText();
  return *found.cluster;
}

GradientExchange priced(const Cluster &cluster, int64_t ranks,
                        Bytes gradients) {
  ClusterTopology topology(cluster);
  StackProfile profile;
  profile.collectiveRate = profile.networkRate = 1;
  CollectiveTimes times(cluster, profile);
  return priceGradientExchange(topology, times, ranks, 4, gradients);
}

/// What leaves a machine, message by message: as a worker it pushes each server
/// its part of the gradients, as a server it answers each worker's pull.
int64_t bytesOut(int64_t machines, int64_t machine, int64_t gradients) {
  auto partOf = [&](int64_t server) {
    return gradients * (server + 1) / machines - gradients * server / machines;
  };
  int64_t bytes = 0;
  for (int64_t other = 0; other < machines; ++other)
    if (other != machine)
      bytes += partOf(other) + partOf(machine);
  return bytes;
}

TEST(GradientExchange, InterfacesCarryWhatMessagesAddUpTo) {
  for (int64_t machines : {2, 3, 5, 8}) {
    constexpr int64_t gradients = 48'000'000;
    GradientExchange exchange =
        priced(machinesOf(machines), machines * 4, Bytes(gradients));
    int64_t most = 0;
    for (int64_t machine = 0; machine < machines; ++machine)
      most = std::max(most, bytesOut(machines, machine, gradients));
    // Three steps each way of a quarter of the gradients, over the fabric, and
    // copies of a quarter.
    double inMachine = 2 * 3 * (2e3 + gradients / 4 / 100.0);
    double copies = 2 * gradients / 4 / 25.0;
    double network =
        double(exchange.parameterServers.count()) - inMachine - copies;
    // Of each way: one latency, and what is left of the interface's rate.
    double transfer = double(most) / 2 / 10;
    EXPECT_NEAR(network, 2 * (5e3 + transfer), 100) << machines;
  }
}

/// Many machines with little to say do not wait for a ring's steps; a lot of
/// gradients is not worth the way over the hosts' memory.
TEST(GradientExchange, ServersSaveLatencyAndCostCopies) {
  Cluster many = machinesOf(16);
  EXPECT_TRUE(priced(many, 64, Bytes(4096)).prefersServers());
  EXPECT_FALSE(priced(many, 64, Bytes(4'000'000'000)).prefersServers());
}

TEST(GradientExchange, OneMachineNeedsNoServers) {
  GradientExchange exchange = priced(machinesOf(2), 4, Bytes(48'000'000));
  EXPECT_FALSE(exchange.prefersServers());
  EXPECT_NEAR(double(exchange.parameterServers.count()),
              2 * 3 * (2e3 + 12e6 / 100), 10);
  EXPECT_EQ(priced(machinesOf(2), 1, Bytes(48'000'000)).allReduce,
            Nanoseconds(0));
}

TEST(GradientExchange, SizesThatDoNotFitSaturate) {
  GradientExchange exchange =
      priced(machinesOf(3), 12, Bytes(std::numeric_limits<int64_t>::max()));
  EXPECT_GT(exchange.parameterServers, Nanoseconds(int64_t(1) << 50));
  EXPECT_GT(exchange.allReduce, Nanoseconds(int64_t(1) << 50));
}

} // namespace
} // namespace shardsmith
