// SPDX-License-Identifier: Apache-2.0
//
// Clusters that need no file.
//
//   cpu:4, 1xcpu4     this machine, four ranks that share its cores
//   8xh100            one node; more devices are several nodes
//   16x8xa100-80      sixteen nodes of eight

#include "BuiltinDevices.h"
#include "LocalMachine.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/MeasuredMachine.h"
#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/ReadFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace shardsmith {
namespace {

using cluster::BuiltinDevice;

constexpr int64_t maximalDevices = int64_t(1) << 20;

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const BuiltinDevice &device : cluster::builtinDevices())
    names.push_back(device.name);
  return names;
}

LinkType makeNetworkLink(const BuiltinDevice &device) {
  LinkType network;
  network.kind = "infiniband";
  network.bytesPerSecond = device.nicGigabytesPerSecond * 1e9;
  network.latencySeconds = 5e-6;
  network.efficiency = 0.94;
  return network;
}

/// `nodes` nodes of `perNode` devices, one network interface per device.
Cluster makeCluster(const BuiltinDevice &device, int64_t nodes,
                    int64_t perNode) {
  Cluster cluster;
  cluster.name = fmt::format("{}x{}", nodes * perNode, device.name);
  cluster.provenance = Provenance::Calibrated;
  cluster.deviceTypes[device.name] = cluster::makeDeviceType(device);
  Group group;
  group.name = "g";
  group.node.count = nodes;
  group.node.devices = {{device.name, perNode}};
  group.node.hostPcieBytesPerSecond = device.hostGigabytesPerSecond * 1e9;
  if (perNode > 1) {
    cluster.linkTypes[device.link] = cluster::makeLinkType(device);
    group.node.fabricTopology = device.topology;
    group.node.fabricLink = device.link;
  }
  if (nodes > 1) {
    cluster.linkTypes["network"] = makeNetworkLink(device);
    group.node.nicLink = group.network.link = "network";
    group.node.nicCount = perNode;
    group.node.nicAffinity = "1:1";
    group.network.rails = perNode;
  }
  cluster.groups.push_back(group);
  return cluster;
}

/// Two or three factors of a number, as equal as possible, rising.
std::vector<int64_t> squareFactors(int64_t number, int64_t factors) {
  std::vector<int64_t> result;
  for (; factors > 1; --factors) {
    int64_t best = 1;
    for (int64_t factor = 1;; ++factor) {
      int64_t power = factor;
      for (int64_t i = 1; i < factors && power <= number; ++i)
        power *= factor;
      if (power > number)
        break;
      if (number % factor == 0)
        best = factor;
    }
    result.push_back(best);
    number /= best;
  }
  result.push_back(number);
  return result;
}

/// Chips that reach each other over a torus only; each is a node of its own.
Cluster makeTorus(const BuiltinDevice &device, int64_t count) {
  Cluster cluster;
  cluster.name = fmt::format("{}x{}", count, device.name);
  cluster.provenance = Provenance::Estimated;
  cluster.deviceTypes[device.name] = cluster::makeDeviceType(device);
  Group group;
  group.name = "g";
  group.node.count = count;
  group.node.devices = {{device.name, 1}};
  if (count > 1) {
    cluster.linkTypes[device.link] = cluster::makeLinkType(device);
    group.node.nicLink = group.network.link = device.link;
    group.node.nicCount = device.perNode;
    group.network.topology = device.topology;
    group.network.dims = squareFactors(count, device.perNode / 2);
  }
  cluster.groups.push_back(group);
  return cluster;
}

/// Devices per node for `count` devices: all of a node, or for domains of many
/// devices the largest part of `count` that one holds. Nothing if a node would
/// be partly empty.
std::optional<int64_t> devicesPerNode(const BuiltinDevice &device,
                                      int64_t count) {
  if (count <= device.perNode)
    return count;
  if (count % device.perNode == 0)
    return device.perNode;
  constexpr int64_t devicesPerTray = 4;
  if (device.perNode <= 8)
    return std::nullopt;
  for (int64_t part = device.perNode; part > 0; part -= devicesPerTray)
    if (count % part == 0)
      return part;
  return std::nullopt;
}

std::optional<int64_t> parseCount(std::string_view text) {
  int64_t count = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 ||
      count > maximalDevices)
    return std::nullopt;
  return count;
}

/// Reads `64x` or `16x8x` off the front. Empty, and `text` untouched, if it
/// does not start like that.
std::vector<int64_t> takeCounts(std::string_view &text) {
  std::vector<int64_t> counts;
  while (counts.size() < 2) {
    size_t digits = 0;
    while (digits < text.size() && std::isdigit(uint8_t(text[digits])))
      ++digits;
    if (digits == 0 || digits == text.size() || text[digits] != 'x')
      break;
    std::optional<int64_t> count = parseCount(text.substr(0, digits));
    if (!count)
      break;
    counts.push_back(*count);
    text.remove_prefix(digits + 1);
  }
  return counts;
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
  ClusterResult measured = findMeasured(measuredFolder(), *ranks);
  if (measured.cluster || !measured.errors.empty())
    return measured;
  return success(cluster::makeLocalCluster(*ranks));
}

ClusterResult readClusterFile(const std::string &path) {
  std::string error;
  std::optional<std::string> text = readFile(path, error);
  if (!text)
    return failure(error);
  ClusterResult result = readCluster(*text);
  for (auto *issues : {&result.errors, &result.warnings})
    for (ClusterIssue &issue : *issues)
      issue.pointer = path + ":" + issue.pointer;
  return result;
}

} // namespace

std::vector<std::string> builtinClusterExamples() {
  return {"cpu:4",     "1xcpu4",  "1xh100",       "8xh100",
          "4xa100-80", "64xh100", "16x8xa100-80", "4x4xl40s"};
}

ClusterResult findCluster(const std::string &name) {
  if (name.starts_with("cpu:"))
    return findLocal(name, std::string_view(name).substr(4));
  if (name.starts_with("1xcpu"))
    return findLocal(name, std::string_view(name).substr(5));

  std::string_view rest = name;
  std::vector<int64_t> counts = takeCounts(rest);
  if (counts.empty()) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored))
      return readClusterFile(name);
    return failure(fmt::format(
        "\"{}\" is neither a file nor a built-in cluster such as {}", name,
        fmt::join(builtinClusterExamples(), ", ")));
  }
  std::string counted = fmt::format("{}x", fmt::join(counts, "x"));
  const BuiltinDevice *device = cluster::findBuiltinDevice(rest);
  if (!device) {
    std::string hint = closestWord(rest, deviceNames());
    return failure(fmt::format(
        "unknown device \"{}\" in \"{}\", {}", rest, name,
        hint.empty()
            ? fmt::format("expected one of {}", fmt::join(deviceNames(), ", "))
            : fmt::format("did you mean \"{}{}\"?", counted, hint)));
  }
  std::optional<int64_t> total = checkedMultiply(counts.front(), counts.back());
  if (counts.size() == 1)
    total = counts.front();
  if (!total || *total > maximalDevices)
    return failure(
        fmt::format("\"{}\" has more than {} devices", name, maximalDevices));
  if (device->isTorus())
    return success(makeTorus(*device, *total));
  if (counts.size() == 2)
    return success(makeCluster(*device, counts[0], counts[1]));
  std::optional<int64_t> perNode = devicesPerNode(*device, *total);
  if (!perNode)
    return failure(fmt::format(
        "\"{}\": more than {} devices must be a multiple of {}, for example "
        "{}x{}; nodes of another size are written NODESxDEVICESx{}",
        name, device->perNode, device->perNode,
        *total / device->perNode * device->perNode, rest, rest));
  return success(makeCluster(*device, *total / *perNode, *perNode));
}

} // namespace shardsmith
