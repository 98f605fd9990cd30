// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/ClusterReader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

using namespace shardsmith;
using testing::HasSubstr;
using Json = nlohmann::json;

namespace {

/// A description that uses nearly every field and is correct.
Json soundCluster() {
  return Json::parse(R"({
    "version": 1, "name": "two sites", "x_note": "kept",
    "device_types": {
      "big": {"kind": "gpu", "arch": "sm_90", "memory_gib": 80,
        "memory_reserved_gib": 3, "memory_bandwidth_gb_per_s": 3350,
        "peak_tflops": {"bf16": 989, "f32": 67},
        "efficiency": {"matmul": 0.62, "memory": 0.82},
        "kernel_launch_us": 4, "price_per_hour_usd": 2.9, "power_w": 700},
      "small": {"memory_gib": 16, "memory_bandwidth_gb_per_s": 320,
        "peak_tflops": {"f16": 65, "f32": 8.1}}},
    "link_types": {
      "nv": {"kind": "nvlink", "bandwidth_gb_per_s": 450, "latency_us": 0.9},
      "ib": {"kind": "infiniband", "bandwidth_gb_per_s": 50,
             "latency_us": 3.5},
      "wan": {"kind": "ethernet", "bandwidth_gb_per_s": 1.25,
              "latency_us": 15000, "loss": 1e-5, "tcp_streams": 16}},
    "groups": [
      {"name": "h", "count": 2,
       "network": {"topology": "fat-tree", "link": "ib", "rails": 8},
       "node": {"count": 4, "devices": [{"type": "big", "count": 8}],
                "fabric": {"topology": "switch", "link": "nv"},
                "nics": {"link": "ib", "count": 8, "affinity": "1:1"}}},
      {"name": "t",
       "network": {"topology": "torus2d", "link": "ib", "dims": [2, 3]},
       "node": {"count": 6, "devices": [{"type": "small", "count": 2}],
                "fabric": {"link": "nv", "islands": [1, 1]},
                "nics": {"link": "ib", "count": 1}}}],
    "interconnects": [{"between": ["h[*]", "t[0]"], "link": "wan"}],
    "links": [{"from": "h[0].n[3].d[5]", "to": "h[0].n[3].d[6]",
               "scale": 0.5}],
    "collectives": {"all_reduce": {"algorithms": ["ring"]}},
    "calibration": [{"collective": "all_gather", "scope": "h.node",
      "group_size": 8, "dtype": "bf16",
      "points_bytes_us": [[1048576, 21.0], [134217728, 390.0]]}],
    "limits": {"budget_usd_per_hour": 250, "exclude": ["t[0].n[1].d[1]"]}
  })");
}

ClusterResult readPatched(const char *pointer, const Json &value) {
  Json json = soundCluster();
  json[Json::json_pointer(pointer)] = value;
  return readCluster(json.dump());
}

ClusterResult readWithout(const char *parent, const char *key) {
  Json json = soundCluster();
  json[Json::json_pointer(parent)].erase(key);
  return readCluster(json.dump());
}

TEST(Cluster, SoundDescriptionIsAccepted) {
  ClusterResult result = readCluster(soundCluster().dump());
  ASSERT_TRUE(result.cluster) << result.errorText();
  EXPECT_TRUE(result.warnings.empty());
  const Cluster &cluster = *result.cluster;
  EXPECT_EQ(cluster.deviceCount(), 2 * 4 * 8 + 6 * 2);
  EXPECT_EQ(cluster.usableDevices().size(), 75u);
  EXPECT_EQ(cluster.resolve("h[1].n[0].d[3]"), 35);
  EXPECT_EQ(cluster.resolve("t[0].n[5].d[1]"), 75);
  EXPECT_EQ(cluster.resolve("t[0].n[6].d[0]"), std::nullopt);
  EXPECT_EQ(cluster.resolve("h[1].n[0].d[3] "), std::nullopt);
  EXPECT_EQ(cluster.deviceType(63).arch, "sm_90");
  EXPECT_EQ(cluster.deviceType(64).memory, Bytes(int64_t(16) << 30));
  EXPECT_EQ(cluster.deviceType(64).reserved.count(),
            std::llround(0.04 * 16 * (1 << 30)));
}

TEST(Cluster, CanonicalTextIsAFixedPoint) {
  ClusterResult first = readCluster(soundCluster().dump());
  ASSERT_TRUE(first.cluster);
  ClusterResult second = readCluster(first.cluster->toJson());
  ASSERT_TRUE(second.cluster) << second.errorText();
  EXPECT_EQ(first.cluster->toJson(), second.cluster->toJson());
  EXPECT_EQ(first.cluster->hash(), second.cluster->hash());
  EXPECT_EQ(first.cluster->hash().size(), 16u);
}

TEST(Cluster, HashFollowsTheFigures) {
  auto plain = readCluster(soundCluster().dump());
  auto changed = readPatched("/link_types/nv/bandwidth_gb_per_s", 449);
  ASSERT_TRUE(plain.cluster && changed.cluster);
  EXPECT_NE(plain.cluster->hash(), changed.cluster->hash());
}

struct Violation {
  const char *pointer;
  Json value;
  const char *expected;
};

/// Every rule of docs/cluster.md, broken once.
std::vector<Violation> violations() {
  return {
      {"/version", 2, "/version: unknown version 2, expected 1"},
      {"/version", "1", "/version: expected an integer"},
      {"/nmae", "x", "/nmae: unknown key, did you mean \"name\"?"},
      {"/device_types", Json::object(), "/device_types: expected at least one"},
      {"/device_types/big/kind", "gpuu", "did you mean \"gpu\"?"},
      {"/device_types/big/memory_gib", 0, "greater than 0"},
      {"/device_types/big/memory_gib", 1e-300, "less than one byte"},
      {"/device_types/big/memory_reserved_gib", 80,
       "80 GiB are reserved of 80"},
      {"/device_types/big/memory_bandwidth_gb_per_s", -1, "greater than 0"},
      {"/device_types/big/peak_tflops", Json::object(),
       "expected at least one entry above 0"},
      {"/device_types/big/peak_tflops/fp32", 1, "did you mean \"f32\"?"},
      {"/device_types/big/efficiency/matmul", 1.5, "in (0, 1]"},
      {"/device_types/big/efficiency/memory", 0, "in (0, 1]"},
      {"/device_types/big/kernel_launch_us", -1, "0 or more"},
      {"/device_types/big/streams", 0, "integer of 1 or more"},
      {"/device_types/big/copy_engines", -1, "integer of 0 or more"},
      {"/device_types/big/price_per_hour_usd", -1, "0 or more"},
      {"/device_types/big/power_w", 0, "greater than 0"},
      {"/device_types/big/cache_mib", -1, "0 or more"},
      {"/device_types/big", 3, "/device_types/big: expected an object"},
      {"/link_types/nv/bandwidth_gb_per_s", 0, "greater than 0"},
      {"/link_types/nv/latency_us", -1, "0 or more"},
      {"/link_types/nv/efficiency", 1.01, "in (0, 1]"},
      {"/link_types/wan/loss", 1, "in [0, 1)"},
      {"/link_types/wan/tcp_streams", 0, "integer of 1 or more"},
      {"/link_types/nv/duplex", 1, "expected true or false"},
      {"/link_types/nv/message_us", -1, "0 or more"},
      {"/groups", Json::array(), "/groups: expected at least one"},
      {"/groups/0/name", "h 1", "is no identifier"},
      {"/groups/1/name", "h", "is the name of group 0 already"},
      {"/groups/0/count", 0, "integer of 1 or more"},
      {"/groups/0/network/link", "ibb",
       "/groups/0/network/link: unknown link type \"ibb\", did you mean "
       "\"ib\"?"},
      {"/groups/0/network/oversubscription", 0.5, "1 or more"},
      {"/groups/0/network/rails", 3, "number of network interfaces (8)"},
      {"/groups/0/network/topology", "star", "expected one of fat-tree"},
      {"/groups/1/network/dims", {2, 2}, "multiply to 4, the group has 6"},
      {"/groups/0/node/devices/0/type", "bigg", "did you mean \"big\"?"},
      {"/groups/0/node/devices/0/count", 0, "integer of 1 or more"},
      {"/groups/1/node/fabric/islands",
       {1, 2},
       "islands hold 3 devices, the node has 2"},
      {"/groups/0/node/nics/link", "ibn", "unknown link type"},
      {"/groups/0/node/nics/count", 4, "needs as many interfaces as devices"},
      {"/groups/1/node/nics/affinity", "1:1", "found 1 for 2"},
      {"/groups/0/node/host", {{"memory_gib", -1}}, "0 or more"},
      {"/interconnects/0/between", {"h[0]"}, "expected two groups"},
      {"/interconnects/0/between", {"h[2]", "t[0]"}, "names no group"},
      {"/interconnects/0/between", {"h[0]", "h[0]"}, "connected with itself"},
      {"/interconnects/0/link", "lan", "did you mean \"wan\"?"},
      {"/interconnects/0/parallel", 0, "integer of 1 or more"},
      {"/links/0/from", "h[0].n[4].d[5]", "names no device"},
      {"/links/0/scale", 0, "greater than 0"},
      {"/links/0/link", "nw", "did you mean \"nv\"?"},
      {"/collectives/all_reduce/algorithms/0", "rings", "unknown algorithm"},
      {"/collectives/allreduce", Json::object(),
       "did you mean \"all_reduce\"?"},
      {"/calibration/0/collective", "allgather", "unknown collective"},
      {"/calibration/0/scope", "q.node", "unknown scope"},
      {"/calibration/0/group_size", 1, "integer of 2 or more"},
      {"/calibration/0/points_bytes_us", Json::parse("[[1, 2]]"),
       "two points or more"},
      {"/calibration/0/points_bytes_us", Json::parse("[[4, 2], [4, 3]]"),
       "sizes must rise"},
      {"/calibration/0/points_bytes_us/1",
       {134217728, 1},
       "less than the fastest link needs"},
      {"/limits/budget_usd_per_hour", 0, "greater than 0"},
      {"/limits/exclude/0", "t[1].n[0].d[0]", "names no device"},
      {"/limits/max_devices", 0, "integer of 1 or more"},
      {"/limits/failure_rate_per_device_hour", -1, "0 or more"},
      {"/groups/0/node/count", 1 << 20, "more than 1048576 devices"},
      {"/groups/0/count", int64_t(1) << 62, "more than 1048576 devices"},
      {"/groups/0/node/count", 1e300, "expected an integer"},
      {"/groups/0/node/devices/0/count", INT64_MAX, "interfaces as devices"},
      {"/groups/1/node/fabric/islands",
       {INT64_MAX, INT64_MAX},
       "the node has 2"},
      {"/groups/1/network/dims",
       {int64_t(1) << 40, int64_t(1) << 40},
       "the group has 6"},
      {"/device_types/big/memory_gib", 1e17, "does not fit 64 bits"},
      {"/link_types/ib/bandwidth_gb_per_s", -50, "greater than 0"},
      {"/groups/0/node/fabric", {{"topology", "none"}}, "talk over the host"},
      {"/links/0/to", "h[0].n[3].nic[8]", "names no device"},
      {"/device_types/big/matmul_fits",
       {{"bfl16", {{"peak_share", 1}}}},
       "did you mean \"bf16\"?"},
      {"/device_types/big/matmul_fits",
       {{"bf16", {{"peak_share", 0}}}},
       "greater than 0"},
      {"/device_types/big/attention_fits",
       Json::parse(R"([{"head_size": 128, "tflops": 1},
                       {"head_size": 64, "tflops": 1}])"),
       "/attention_fits/1/head_size: head sizes must rise"},
      {"/link_types/nv/collective_fits",
       Json::parse(R"([{"collective": "all_reduce", "members": 2,
                        "latency_us": 5, "gb_per_s": -1}])"),
       "greater than 0"},
      {"/link_types/nv/collective_fits",
       Json::parse(R"([{"collective": "all_sum", "members": 2,
                        "latency_us": 5, "gb_per_s": 1}])"),
       "unknown collective"},
  };
}

TEST(Cluster, EachRuleIsEnforced) {
  for (const Violation &violation : violations()) {
    SCOPED_TRACE(violation.pointer);
    ClusterResult result = readPatched(violation.pointer, violation.value);
    EXPECT_FALSE(result.cluster);
    EXPECT_THAT(result.errorText(), HasSubstr(violation.expected));
    EXPECT_THAT(result.errorText(), HasSubstr("/"));
  }
}

TEST(Cluster, MissingFieldsAreNamed) {
  const std::tuple<const char *, const char *, const char *> cases[] = {
      {"", "version", "/version: missing"},
      {"", "device_types", "/device_types: missing"},
      {"", "groups", "/groups: missing"},
      {"/device_types/big", "memory_gib", "/device_types/big/memory_gib"},
      {"/device_types/big", "peak_tflops", "/device_types/big/peak_tflops"},
      {"/link_types/nv", "latency_us", "/link_types/nv/latency_us: missing"},
      {"/groups/0", "node", "/groups/0/node: missing"},
      {"/groups/0", "name", "/groups/0/name: missing"},
      {"/groups/0", "network", "/groups/0/network: missing"},
      {"/groups/0/node", "fabric", "8 devices need a link between them"},
      {"/groups/1/node", "nics", "need network interfaces"},
      {"/groups/1/network", "dims", "a torus needs its dimensions"},
      {"/links/0", "scale", "expected one of scale, link and down"},
  };
  for (auto [parent, key, expected] : cases) {
    SCOPED_TRACE(expected);
    ClusterResult result = readWithout(parent, key);
    EXPECT_FALSE(result.cluster);
    EXPECT_THAT(result.errorText(), HasSubstr(expected));
  }
}

TEST(Cluster, AllErrorsAreReportedAtOnce) {
  Json json = soundCluster();
  json["device_types"]["big"]["memory_gib"] = -1;
  json["link_types"]["ib"]["latency_us"] = "fast";
  EXPECT_EQ(readCluster(json.dump()).errors.size(), 2u);
}

TEST(Cluster, NoDeviceLeftIsAnError) {
  ClusterResult result = readCluster(R"({"version": 1, "device_types": {
    "cpu": {"kind": "cpu", "memory_gib": 8, "memory_bandwidth_gb_per_s": 20,
            "peak_tflops": {"f32": 0.1}}},
    "groups": [{"name": "a", "node": {"devices": [
      {"type": "cpu", "count": 1}]}}],
    "limits": {"exclude": ["a[0].n[0].d[0]"]}})");
  EXPECT_THAT(result.errorText(), HasSubstr("no device is left"));
}

TEST(Cluster, UnconnectedGroupsAndUnusedTypesAreWarnings) {
  Json json = soundCluster();
  json["interconnects"] = Json::array();
  ClusterResult result = readCluster(json.dump());
  ASSERT_TRUE(result.cluster);
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_THAT(result.warnings[0].str(), HasSubstr("not connected"));
  EXPECT_EQ(result.warnings[1].str(), "/link_types/wan: is not used");
}

TEST(Cluster, FallingBandwidthIsRepaired) {
  ClusterResult result =
      readPatched("/calibration/0/points_bytes_us",
                  Json::parse("[[1000000, 10], [2000000, 40]]"));
  ASSERT_TRUE(result.cluster) << result.errorText();
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NEAR(result.cluster->calibration[0].points[1].seconds, 20e-6, 1e-9);
}

TEST(Cluster, FallingTimesAreRepaired) {
  ClusterResult result =
      readPatched("/calibration/0/points_bytes_us",
                  Json::parse("[[1000, 25], [2000, 24], [4000, 30]]"));
  ASSERT_TRUE(result.cluster) << result.errorText();
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0].str(), HasSubstr("time falls with size"));
  EXPECT_NEAR(result.cluster->calibration[0].points[1].seconds, 25e-6, 1e-9);
  EXPECT_NEAR(result.cluster->calibration[0].points[2].seconds, 30e-6, 1e-9);
}

TEST(Cluster, BrokenTextIsLocated) {
  ClusterResult result = readCluster("{\"version\": 1,\n \"groups\": [}");
  EXPECT_FALSE(result.cluster);
  EXPECT_THAT(result.errorText(), HasSubstr("line 2"));
}

TEST(Cluster, HostileTextIsRefused) {
  std::string deep(1000000, '[');
  EXPECT_THAT(readCluster(deep).errorText(), HasSubstr("/"));
  deep += std::string(1000000, ']');
  EXPECT_THAT(readCluster(deep).errorText(),
              HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(readCluster(R"({"version": 1, "version": 1})").errorText(),
              HasSubstr("key \"version\" is given twice"));
  EXPECT_THAT(readCluster(R"({"version": 1e999})").errorText(),
              HasSubstr("not valid JSON"));
  EXPECT_THAT(readCluster("").errorText(), HasSubstr("not valid JSON"));
}

TEST(BuiltinClusters, AllDevicesSurviveTheirText) {
  for (const char *device :
       {"v100-16",    "v100-32", "t4",      "a10",     "a100-40", "a100-80",
        "a100-pcie",  "rtx3090", "l4",      "l40s",    "rtx4090", "h100",
        "h100-pcie",  "h200",    "b200",    "b300",    "gb200",   "gb300",
        "rtxpro6000", "mi250x",  "mi300x",  "mi325x",  "mi355x",  "tpu-v4",
        "tpu-v5e",    "tpu-v5p", "tpu-v6e", "tpu-v7x", "v100",    "a100"})
    for (const char *count : {"1x", "8x", "3x7x", "144x"}) {
      SCOPED_TRACE(std::string(count) + device);
      ClusterResult result = findCluster(std::string(count) + device);
      ASSERT_TRUE(result.cluster) << result.errorText();
      ClusterResult again = readCluster(result.cluster->toJson());
      ASSERT_TRUE(again.cluster) << again.errorText();
      EXPECT_TRUE(again.warnings.empty()) << again.warnings[0].str();
      EXPECT_EQ(again.cluster->toJson(), result.cluster->toJson());
    }
}

TEST(BuiltinClusters, NodesAreAsNamed) {
  auto node = [](const char *name) {
    return findCluster(name).cluster->groups[0].node;
  };
  EXPECT_EQ(node("16x8xa100-80").count, 16);
  EXPECT_EQ(node("16x8xa100-80").deviceCount(), 8);
  EXPECT_EQ(node("4x4xl40s").count, 4);
  EXPECT_EQ(node("64xh100").nicCount, 8);
  EXPECT_EQ(node("7xh100").deviceCount(), 7);
  EXPECT_EQ(node("2x12xh100").deviceCount(), 12);
  // Domains of 72 on one switch; of 64 where 72 would leave some empty.
  EXPECT_EQ(node("144xgb200").deviceCount(), 72);
  EXPECT_EQ(node("256xgb200").deviceCount(), 64);
  EXPECT_EQ(findCluster("96xtpu-v5p").cluster->groups[0].network.dims,
            (std::vector<int64_t>{4, 4, 6}));
}

TEST(BuiltinClusters, ExamplesAreFoundAndSound) {
  for (const std::string &name : builtinClusterExamples()) {
    SCOPED_TRACE(name);
    ClusterResult result = findCluster(name);
    ASSERT_TRUE(result.cluster) << result.errorText();
    ClusterResult again = readCluster(result.cluster->toJson());
    EXPECT_TRUE(again.cluster) << again.errorText();
  }
  EXPECT_EQ(findCluster("64xh100").cluster->groups[0].node.count, 8);
  EXPECT_EQ(findCluster("4xa100-80").cluster->deviceCount(), 4);
}

TEST(BuiltinClusters, RanksShareTheMachine) {
  Cluster one = *findCluster("cpu:1").cluster;
  Cluster many = *findCluster("cpu:1024").cluster;
  EXPECT_LT(many.deviceType(0).flopsPerSecond.at("f32"),
            one.deviceType(0).flopsPerSecond.at("f32"));
  EXPECT_LT(many.deviceType(0).memory, one.deviceType(0).memory);
  EXPECT_EQ(findCluster("1xcpu4").cluster->hash(),
            findCluster("cpu:4").cluster->hash());
}

TEST(BuiltinClusters, BadNamesAreExplained) {
  auto errorOf = [](const char *name) { return findCluster(name).errorText(); };
  EXPECT_THAT(errorOf("8xh1000"), HasSubstr("did you mean \"8xh100\"?"));
  EXPECT_THAT(errorOf("12xh100"), HasSubstr("multiple of 8"));
  EXPECT_THAT(errorOf("cpu:0"), HasSubstr("number of ranks"));
  EXPECT_THAT(errorOf("cpu:many"), HasSubstr("number of ranks"));
  EXPECT_THAT(errorOf("nowhere.json"), HasSubstr("neither a file nor"));
}

} // namespace
