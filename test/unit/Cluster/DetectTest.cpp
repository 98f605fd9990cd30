// SPDX-License-Identifier: Apache-2.0
//
// What test/Commands/detect.test cannot show: this machine's devices, and
// single readers.

#include "shardsmith/Cluster/Detect.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/NcclTests.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using testing::HasSubstr;
using Row = std::vector<std::string>;

FoundNodes machine(const char *mode, const std::string &sysfs = "/none") {
  setenv("FAKE_NVML", mode, 1);
  std::string error;
  std::optional<FoundNodes> found = readThisMachine(FAKE_NVML, sysfs, error);
  EXPECT_TRUE(found) << error;
  return found.value_or(FoundNodes());
}

std::string machineError(const char *mode, const char *library = FAKE_NVML) {
  setenv("FAKE_NVML", mode, 1);
  std::string error;
  EXPECT_FALSE(readThisMachine(library, "/none", error));
  return error;
}

DetectedCluster made(const FoundNodes &nodes, DetectOptions options = {}) {
  std::string error;
  std::optional<DetectedCluster> cluster =
      makeDetectedCluster(nodes, options, error);
  EXPECT_TRUE(cluster) << error;
  if (!cluster)
    return {};
  static const std::string schema = *readFile(CLUSTER_SCHEMA, error);
  std::optional<SchemaFinding> finding =
      checkSchema(nlohmann::json::parse(cluster->toJson()), schema);
  EXPECT_FALSE(finding) << finding->pointer << ": " << finding->message;
  return *cluster;
}

TEST(ThisMachine, SwitchJoinsAllDevices) {
  FoundNodes found = machine("switch");
  const NodeFacts &node = found.kinds.at(0);
  EXPECT_EQ(node.devices, 4);
  EXPECT_EQ(node.product, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(node.links.at(0), (Row{"X", "NV12", "NV12", "NV12"}));
  Cluster cluster = made(found).cluster;
  EXPECT_EQ(cluster.groups[0].node.fabricTopology, "switch");
  EXPECT_EQ(cluster.groups[0].node.devices[0].type, "a100-80");
  EXPECT_EQ(cluster.linkTypes.at("nvlink").bytesPerSecond, 300e9);
  // The usual node: its measured constants hold.
  EXPECT_FALSE(cluster.linkTypes.at("nvlink").collectiveFits.empty());
}

TEST(ThisMachine, PairsAreIslands) {
  FoundNodes found = machine("pairs");
  EXPECT_EQ(found.kinds.at(0).links.at(0), (Row{"X", "NV12", "SYS", "SYS"}));
  EXPECT_EQ(made(found).cluster.groups[0].node.islands,
            (std::vector<int64_t>{2, 2}));
}

TEST(ThisMachine, DevicesOnTheBusAlone) {
  FoundNodes found = machine("bus");
  EXPECT_EQ(found.kinds.at(0).links.at(2), (Row{"SYS", "SYS", "X", "PXB"}));
  DetectedCluster detected = made(found);
  EXPECT_EQ(detected.cluster.groups[0].node.fabricTopology, "pcie-tree");
  EXPECT_EQ(detected.cluster.linkTypes.at("pcie").bytesPerSecond, 31e9);
}

TEST(ThisMachine, SaysWhatCannotBeSeen) {
  EXPECT_EQ(machineError("broken"), "nvmlInit_v2 fails with error 9");
  EXPECT_THAT(machineError("mixed"),
              HasSubstr("devices of two kinds, \"NVIDIA A100-SXM4-80GB\" and "
                        "\"NVIDIA L4\""));
  EXPECT_THAT(machineError("", "libnone.so"), HasSubstr("libnone.so"));
  EXPECT_THAT(machineError("", "libm.so.6"),
              HasSubstr("has no function nvmlInit_v2"));
}

TEST(ThisMachine, InterfacesAreActivePorts) {
  namespace fs = std::filesystem;
  fs::path sysfs = fs::path(testing::TempDir()) / "detect-sysfs";
  auto port = [&](const char *name, const char *state, const char *rate) {
    fs::path folder = sysfs / "class/infiniband" / name / "ports/1";
    fs::create_directories(folder);
    std::ofstream(folder / "state") << state;
    std::ofstream(folder / "rate") << rate;
    std::ofstream(folder / "link_layer") << "InfiniBand\n";
  };
  port("mlx5_1", "4: ACTIVE\n", "200 Gb/sec (4X HDR)\n");
  port("mlx5_0", "4: ACTIVE\n", "200 Gb/sec (4X HDR)\n");
  port("mlx5_2", "1: DOWN\n", "40 Gb/sec (4X QDR)\n");
  FoundNodes found = machine("switch", sysfs);
  fs::remove_all(sysfs);
  ASSERT_EQ(found.kinds.at(0).interfaces->size(), 2u);
  DetectOptions options;
  options.nodes = 3;
  Cluster cluster = made(found, options).cluster;
  EXPECT_EQ(cluster.groups[0].node.nicCount, 2);
  EXPECT_EQ(cluster.groups[0].node.nicAffinity, "shared");
  EXPECT_EQ(cluster.linkTypes.at("network").bytesPerSecond, 25e9);
}

/// The devices are at 10, 11, 12 and 13; one interface shares a switch with the
/// first two, one a port of the processor with nobody, one is behind the other
/// processor.
TEST(ThisMachine, InterfacesBehindADevicesPortAreNear) {
  namespace fs = std::filesystem;
  fs::path sysfs = fs::path(testing::TempDir()) / "detect-near";
  auto onBus = [&](const std::string &way) {
    fs::path folder = sysfs / "devices" / way;
    fs::create_directories(folder);
    fs::create_directories(sysfs / "bus/pci/devices");
    fs::create_directory_symlink(folder,
                                 sysfs / "bus/pci/devices" / folder.filename());
    return folder;
  };
  auto interface = [&](const char *name, const std::string &way) {
    fs::path folder = sysfs / "class/infiniband" / name;
    fs::create_directories(folder / "ports/1");
    std::ofstream(folder / "ports/1/state") << "4: ACTIVE\n";
    std::ofstream(folder / "ports/1/rate") << "200 Gb/sec (4X HDR)\n";
    std::ofstream(folder / "ports/1/link_layer") << "InfiniBand\n";
    fs::create_directory_symlink(onBus(way), folder / "device");
  };
  const std::string first = "pci0000:0f/0000:0f:01.0/0000:0e:00.0";
  onBus(first + "/0000:0e:01.0/0000:10:00.0");
  onBus(first + "/0000:0e:02.0/0000:11:00.0");
  onBus("pci0000:20/0000:20:01.0/0000:12:00.0");
  onBus("pci0000:20/0000:20:02.0/0000:13:00.0");
  interface("mlx5_0", first + "/0000:0e:03.0/0000:14:00.0");
  interface("mlx5_1", "pci0000:0f/0000:0f:02.0/0000:15:00.0");
  interface("mlx5_2", "pci0000:80/0000:80:01.0/0000:81:00.0");
  FoundNodes found = machine("switch", sysfs);
  fs::remove_all(sysfs);
  std::vector<bool> near;
  for (const FoundInterface &each : *found.kinds.at(0).interfaces)
    near.push_back(each.isNear);
  EXPECT_EQ(near, (std::vector<bool>{true, false, false}));
  DetectOptions options;
  options.nodes = 2;
  DetectedCluster detected = made(found, options);
  EXPECT_EQ(detected.cluster.groups[0].node.nicCount, 1);
  EXPECT_TRUE(std::ranges::any_of(detected.guesses, [](const Guess &guess) {
    return guess.pointer == "/groups/0/node/nics/count";
  }));
}

TEST(Products, NamesOfDriversSchedulersAndLabels) {
  bool isCertain = false;
  auto device = [&](const char *name, std::optional<int64_t> mebibytes = {}) {
    return deviceOfProduct(name, mebibytes, isCertain);
  };
  EXPECT_EQ(device("NVIDIA H100 80GB HBM3"), "h100");
  EXPECT_EQ(device("NVIDIA-H100-80GB-HBM3"), "h100");
  EXPECT_EQ(device("NVIDIA H100 PCIe"), "h100-pcie");
  EXPECT_EQ(device("nvidia_a100-sxm4-40gb"), "a100-40");
  EXPECT_EQ(device("a100-40"), "a100-40");
  EXPECT_EQ(device("Tesla V100-SXM2-16GB"), "v100-16");
  EXPECT_EQ(device("NVIDIA GeForce RTX 4090"), "rtx4090");
  EXPECT_TRUE(isCertain);
  EXPECT_EQ(device("a100"), "a100-80");
  EXPECT_FALSE(isCertain);
  EXPECT_EQ(device("a100", 40960), "a100-40");
  EXPECT_TRUE(isCertain);
  // What is near a built-in device is not that device.
  EXPECT_EQ(device("NVIDIA H100 NVL"), "");
  EXPECT_EQ(device("NVIDIA A100-PCIE-40GB"), "");
  EXPECT_EQ(device("Quadro P4000"), "");
}

/// Direct cables: three links from each of four devices to each other.
TEST(Topology, DirectLinksAreAFullGraph) {
  FoundNodes nodes;
  nodes.kinds.emplace_back();
  NodeFacts &node = nodes.kinds.back();
  node.devices = 4;
  node.product = "a100-80";
  node.links.assign(4, Row(4, "NV4"));
  for (size_t i = 0; i < 4; ++i)
    node.links[i][i] = "X";
  Cluster cluster = made(nodes).cluster;
  EXPECT_EQ(cluster.groups[0].node.fabricTopology, "full");
  EXPECT_EQ(cluster.linkTypes.at("nvlink").bytesPerSecond, 100e9);
}

TEST(Topology, UnequalLinksAreGuessed) {
  FoundNodes nodes;
  nodes.kinds.emplace_back();
  NodeFacts &node = nodes.kinds.back();
  node.devices = 3;
  node.product = "v100-32";
  node.links = {{"X", "NV2", "NV1"}, {"NV2", "X", "NV1"}, {"NV1", "NV1", "X"}};
  DetectedCluster detected = made(nodes);
  EXPECT_EQ(detected.cluster.linkTypes.at("nvlink").bytesPerSecond, 50e9);
  EXPECT_THAT(detected.toJson(), HasSubstr("fewer links than others"));
}

TEST(Kubernetes, ReadsJsonToo) {
  std::string error;
  std::optional<FoundNodes> found =
      readNodes("kubernetes",
                R"({"items": [{"metadata": {"name": "n", "labels":
          {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.count": "2"}}}]})",
                error);
  ASSERT_TRUE(found) << error;
  EXPECT_EQ(made(*found).cluster.groups[0].node.devices[0].type, "l4");
  EXPECT_FALSE(readNodes("kubernetes", "{", error));
  EXPECT_FALSE(readNodes(
      "kubernetes", "a Ready nvidia.com/gpu.count=x,nvidia.com/gpu.product=L4",
      error));
  EXPECT_EQ(error, "node a: expected a number in the label "
                   "nvidia.com/gpu.count, found \"x\"");
}

TEST(Slurm, SaysWhichNodeIsWrong) {
  auto problem = [](const char *text) {
    std::string error;
    EXPECT_FALSE(readNodes("scontrol", text, error));
    return error;
  };
  EXPECT_THAT(problem("NodeName=a Gres=gpu:h100:8,gpu:a100:2\n"),
              HasSubstr("node a has devices of two kinds"));
  EXPECT_THAT(problem("NodeName=a Gres=gpu:h100:many\n"),
              HasSubstr("expected a number of devices"));
  EXPECT_EQ(problem("NodeName=a CPUTot=-3\n"),
            "line 1: expected a number behind CPUTot=, found \"-3\"");
  EXPECT_EQ(problem("NodeName=a State=DOWN Gres=gpu:8\n"),
            "none of 1 nodes has devices and is up");
}

TEST(NcclTests, RefusesWhatIsNoMeasurement) {
  auto problem = [](const char *row) {
    std::string error;
    EXPECT_FALSE(readNcclTests(std::string("# all_reduce_perf\n"
                                           "#  Rank  0 on box\n"
                                           "#  Rank  1 on box\n") +
                                   row,
                               error));
    return error;
  };
  EXPECT_EQ(problem("64 16 float sum -1 fast 1 1 0\n"),
            "line 4: expected a time in us in the sixth column, found "
            "\"fast\"");
  EXPECT_EQ(problem("64 16 float sum -1 9.5 1 1 7\n"),
            "line 4: the run has 7 wrong elements; its times are not taken");
  EXPECT_EQ(problem("64 16 float sum -1 9 1 1 0\n64 16 float sum -1 9 1 1 0\n"),
            "line 5: expected sizes that rise, found 64 after 64");
}

} // namespace
} // namespace shardsmith
