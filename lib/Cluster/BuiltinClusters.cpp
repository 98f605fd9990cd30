// SPDX-License-Identifier: Apache-2.0
//
// Clusters that need no file.
//
//   cpu:4, 1xcpu4     this machine, four ranks that share its cores
//   8xh100            one node; more than eight devices are nodes of eight
//
// Peaks, memory and link bandwidth are the makers' datasheet figures. Matmul
// efficiencies, link latencies and link efficiencies are calibrated: matrix
// products from the tables of ai-dynamo/aiconfigurator (Apache-2.0) and
// stas00/ml-engineering (CC BY-SA 4.0), collectives from published NCCL runs
// on eight devices of one node. Devices without public tables carry
// estimates, marked below.

#include "LocalMachine.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace shardsmith {
namespace {

struct BuiltinDevice {
  const char *name;
  const char *arch;
  double memoryGib;
  double terabytesPerSecond;
  double f32;
  double tf32;
  double half;
  double matmulEfficiency;
  const char *link;
  const char *linkKind;
  double linkGigabytesPerSecond;
  double linkMicroseconds;
  double linkEfficiency;
  double nicGigabytesPerSecond;
};

constexpr BuiltinDevice devices[] = {
    // name, arch, GiB, TB/s, TFLOP/s f32 / tf32 / f16, matmul efficiency,
    // link: type, GB/s, us per hop, efficiency; GB/s of one network interface
    {"v100", "sm_70", 32, 0.9, 15.7, 0, 125, 0.68, "nvlink2", "nvlink", 150,
     5.4, 0.90, 12.5}, // matmul efficiency: estimate
    {"a100-40", "sm_80", 40, 1.555, 19.5, 156, 312, 0.73, "nvlink3", "nvlink",
     300, 5.4, 0.75, 25},
    {"a100-80", "sm_80", 80, 2.04, 19.5, 156, 312, 0.73, "nvlink3", "nvlink",
     300, 5.4, 0.75, 25},
    {"h100", "sm_90", 80, 3.35, 67, 494.5, 989, 0.66, "nvlink4", "nvlink", 450,
     1.9, 0.88, 50},
    {"h200", "sm_90", 141, 4.8, 67, 494.5, 989, 0.67, "nvlink4", "nvlink", 450,
     2.7, 0.95, 50},
    {"b200", "sm_100", 180, 8.0, 80, 1125, 2250, 0.56, "nvlink5", "nvlink", 900,
     3.3, 0.74, 50},
    {"gb200", "sm_100", 186, 8.0, 80, 1250, 2500, 0.52, "nvlink5", "nvlink",
     900, 3.3, 0.64, 50},
    {"l40s", "sm_89", 48, 0.86, 91.6, 183, 362, 0.46, "pcie4", "pcie", 31, 10,
     0.17, 25},
    {"t4", "sm_75", 16, 0.32, 8.1, 0, 65, 0.42, "pcie3", "pcie", 15.75, 10, 0.5,
     6.25}, // efficiencies: estimate
    {"rtx4090", "sm_89", 24, 1.008, 82.6, 82.6, 165, 0.77, "pcie4", "pcie", 31,
     10, 0.5, 12.5}, // efficiencies: estimate
    {"mi300x", "gfx942", 192, 5.3, 163.4, 653.7, 1307, 0.44, "xgmi", "xgmi",
     448, 5, 0.7, 50}, // link efficiency: estimate
};

/// Names people use for one of the above.
constexpr std::pair<const char *, const char *> aliases[] = {
    {"a100", "a100-80"},
    {"a100-sxm", "a100-80"},
    {"h100-sxm", "h100"},
    {"4090", "rtx4090"}};

constexpr int64_t devicesPerNode = 8;

const BuiltinDevice *findDevice(std::string name) {
  for (auto [alias, target] : aliases)
    if (name == alias)
      name = target;
  for (const BuiltinDevice &device : devices)
    if (name == device.name)
      return &device;
  return nullptr;
}

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const BuiltinDevice &device : devices)
    names.push_back(device.name);
  return names;
}

Cluster makeCluster(const BuiltinDevice &device, int64_t count) {
  DeviceType type;
  type.arch = device.arch;
  type.memory = Bytes(std::llround(device.memoryGib * (1 << 30)));
  type.reserved = Bytes(type.memory.count() / 25);
  type.bytesPerSecond = device.terabytesPerSecond * 1e12;
  type.flopsPerSecond = {{"f32", device.f32 * 1e12},
                         {"f16", device.half * 1e12}};
  if (device.tf32 > 0)
    type.flopsPerSecond["tf32"] = device.tf32 * 1e12;
  if (std::string_view(device.arch) != "sm_70" &&
      std::string_view(device.arch) != "sm_75")
    type.flopsPerSecond["bf16"] = device.half * 1e12;
  type.matmulEfficiency = device.matmulEfficiency;
  type.launch = Nanoseconds(4000);

  LinkType link;
  link.kind = device.linkKind;
  link.bytesPerSecond = device.linkGigabytesPerSecond * 1e9;
  link.latencySeconds = device.linkMicroseconds * 1e-6;
  link.efficiency = device.linkEfficiency;

  LinkType network;
  network.kind = "infiniband";
  network.bytesPerSecond = device.nicGigabytesPerSecond * 1e9;
  network.latencySeconds = 3.5e-6;

  Cluster cluster;
  cluster.name = fmt::format("{}x{}", count, device.name);
  cluster.provenance = Provenance::Calibrated;
  cluster.deviceTypes[device.name] = type;
  cluster.linkTypes[device.link] = link;
  Group group;
  group.name = "g";
  int64_t nodes = std::max<int64_t>(1, count / devicesPerNode);
  group.node.count = nodes;
  group.node.devices = {{device.name, count / nodes}};
  group.node.fabricLink = device.link;
  if (nodes > 1) {
    cluster.linkTypes["network"] = network;
    group.node.nicLink = group.network.link = "network";
    group.node.nicCount = devicesPerNode;
    group.node.nicAffinity = "1:1";
    group.network.rails = devicesPerNode;
  }
  cluster.groups.push_back(group);
  return cluster;
}

std::optional<int64_t> parseCount(std::string_view text) {
  int64_t count = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 ||
      count > (1 << 20))
    return std::nullopt;
  return count;
}

ClusterResult failure(std::string message) {
  ClusterResult result;
  result.errors.push_back({"cluster", std::move(message)});
  return result;
}

ClusterResult success(Cluster cluster) {
  ClusterResult result;
  result.cluster = std::move(cluster);
  return result;
}

ClusterResult findLocal(const std::string &name, std::string_view count) {
  std::optional<int64_t> ranks = parseCount(count);
  if (!ranks || *ranks > 4096)
    return failure(fmt::format("\"{}\": expected a number of ranks from 1 to "
                               "4096 after \"cpu\", as in cpu:4",
                               name));
  return success(cluster::makeLocalCluster(*ranks));
}

ClusterResult readClusterFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return failure(fmt::format("cannot read \"{}\"", path));
  ClusterResult result = readCluster(text.str());
  for (auto *issues : {&result.errors, &result.warnings})
    for (ClusterIssue &issue : *issues)
      issue.pointer = path + ":" + issue.pointer;
  return result;
}

} // namespace

std::vector<std::string> builtinClusterExamples() {
  return {"cpu:4", "1xcpu4", "1xh100", "8xh100", "4xa100-80", "64xh100"};
}

ClusterResult findCluster(const std::string &name) {
  if (name.starts_with("cpu:"))
    return findLocal(name, std::string_view(name).substr(4));
  if (name.starts_with("1xcpu"))
    return findLocal(name, std::string_view(name).substr(5));

  size_t cross = name.find('x');
  std::optional<int64_t> count =
      cross == std::string::npos
          ? std::nullopt
          : parseCount(std::string_view(name).substr(0, cross));
  if (!count) {
    if (std::ifstream(name))
      return readClusterFile(name);
    return failure(fmt::format(
        "\"{}\" is neither a file nor a built-in cluster such as {}", name,
        fmt::join(builtinClusterExamples(), ", ")));
  }
  std::string deviceName = name.substr(cross + 1);
  const BuiltinDevice *device = findDevice(deviceName);
  if (!device) {
    std::string hint = closestWord(deviceName, deviceNames());
    return failure(fmt::format(
        "unknown device \"{}\" in \"{}\", {}", deviceName, name,
        hint.empty()
            ? fmt::format("expected one of {}", fmt::join(deviceNames(), ", "))
            : fmt::format("did you mean \"{}x{}\"?", *count, hint)));
  }
  if (*count > devicesPerNode && *count % devicesPerNode)
    return failure(fmt::format("\"{}\": more than {} devices must be a "
                               "multiple of {}, for example {}x{}",
                               name, devicesPerNode, devicesPerNode,
                               *count / devicesPerNode * devicesPerNode,
                               deviceName));
  return success(makeCluster(*device, *count));
}

} // namespace shardsmith
