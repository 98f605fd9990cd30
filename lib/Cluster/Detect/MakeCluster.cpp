// SPDX-License-Identifier: Apache-2.0
//
// A description from facts. What no source says is that of the built-in node
// with such devices, and a guess.

#include "Words.h"

#include "../BuiltinDevices.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/Detect.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace shardsmith {
namespace {

using cluster::BuiltinDevice;

/// What NVLink one device has: all its links, and one of them.
struct NvLinks {
  int64_t count;
  double bytesPerSecond;
};

/// By architecture; the first figure is that of devices in nodes with switches.
NvLinks nvLinksOf(const BuiltinDevice &device) {
  std::string_view arch = device.arch;
  if (arch == "sm_70")
    return {6, 25e9};
  if (arch == "sm_80" || arch == "sm_86")
    return {12, 25e9};
  if (arch == "sm_90")
    return {18, 25e9};
  return {18, 50e9};
}

/// Links between two devices: 18 of "NV18", 0 where there is none.
int64_t linkCount(const std::string &word) {
  if (!word.starts_with("NV"))
    return 0;
  return detect::wholeNumber(word.substr(2), 64).value_or(0);
}

/// What the table of links comes to.
struct Fabric {
  /// Sizes of sets of devices that reach each other over NVLink; empty if
  /// there is none.
  std::vector<int64_t> islands;
  /// Each set is neighbours by number.
  bool areNeighbours = true;
  /// In every set each pair has links, as many as any other.
  bool isComplete = true;
  /// The fewest of a pair that has any, and of a device in all.
  int64_t perPair = 0, perDevice = 0;
  /// Some pair talks over a link between processors.
  bool crossesProcessors = false;
};

Fabric analyse(const std::vector<std::vector<std::string>> &links) {
  Fabric fabric;
  size_t count = links.size();
  std::vector<size_t> island(count);
  std::iota(island.begin(), island.end(), 0);
  // As many rounds as there are devices join whatever is joined.
  for (size_t round = 0; round < count; ++round)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (linkCount(links[i][j]) > 0)
          island[i] = island[j] = std::min(island[i], island[j]);
  int64_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t ofDevice = 0;
    for (size_t j = 0; j < count; ++j) {
      int64_t pair = linkCount(links[i][j]);
      ofDevice += pair;
      most = std::max(most, pair);
      if (pair > 0 && (fabric.perPair == 0 || pair < fabric.perPair))
        fabric.perPair = pair;
      fabric.crossesProcessors |= links[i][j] == "SYS";
      fabric.isComplete &= i == j || island[i] != island[j] || pair > 0;
    }
    if (ofDevice > 0 && (fabric.perDevice == 0 || ofDevice < fabric.perDevice))
      fabric.perDevice = ofDevice;
    fabric.areNeighbours &= i == 0 || island[i] >= island[i - 1];
  }
  fabric.isComplete &= most == fabric.perPair;
  if (most == 0)
    return fabric;
  for (size_t i = 0; i < count; ++i)
    if (int64_t size = std::ranges::count(island, i))
      fabric.islands.push_back(size);
  return fabric;
}

class Maker {
public:
  Maker(const DetectOptions &options, size_t kinds)
      : options(options), severalKinds(kinds > 1) {}

  bool add(const NodeFacts &facts) {
    size_t number = result.cluster.groups.size();
    group = Group();
    group.name = severalKinds ? fmt::format("g{}", number) : "g";
    pointer = fmt::format("/groups/{}", number);
    suffix = number > 0 ? fmt::format("-{}", number) : "";
    if (!addDevices(facts))
      return false;
    addHost(facts);
    addFabric(facts);
    addNetwork(facts);
    result.cluster.groups.push_back(group);
    return true;
  }

  std::optional<DetectedCluster> take() {
    Cluster &cluster = result.cluster;
    cluster.provenance = Provenance::Estimated;
    cluster.name = options.name.empty() ? "detected" : options.name;
    if (severalKinds) {
      // Nodes of all kinds are on one network.
      std::string link = cluster.groups.front().network.link;
      for (const Group &each : cluster.groups)
        if (cluster.linkTypes.at(each.network.link).bytesPerSecond <
            cluster.linkTypes.at(link).bytesPerSecond)
          link = each.network.link;
      for (size_t i = 1; i < cluster.groups.size(); ++i)
        cluster.interconnects.push_back(
            {.first = "g0[*]",
             .second = fmt::format("g{}[*]", i),
             .link = link,
             .parallel = cluster.groups.front().node.nicCount *
                         cluster.groups.front().node.count});
      guess("/interconnects", "nodes of several kinds are taken to be on one "
                              "network that lets all of them send at once");
    }
    return std::move(result);
  }

  std::string error;

private:
  void guess(const std::string &place, const std::string &reason) {
    result.guesses.push_back({place, reason});
  }

  bool addDevices(const NodeFacts &facts) {
    bool isCertain = true;
    std::string name = options.device;
    if (name.empty())
      name = deviceOfProduct(facts.product, facts.deviceMebibytes, isCertain);
    device = cluster::findBuiltinDevice(name);
    if (!device) {
      if (!options.device.empty())
        error =
            fmt::format("there is no built-in device \"{}\"; docs/cluster.md "
                        "lists them",
                        options.device);
      else if (facts.product.empty())
        error = "no source says which devices these are; give --device, such "
                "as h100, or the output of 'nvidia-smi -L' in the same file";
      else
        error =
            fmt::format("\"{}\" is no built-in device; give the nearest one "
                        "with --device, and correct the figures in the file",
                        facts.product);
      return false;
    }
    if (!facts.devices) {
      error = "no source says how many devices a node has; add one that does, "
              "such as --from nvidia-smi-topo FILE";
      return false;
    }
    DeviceType &type = result.cluster.deviceTypes[device->name];
    type = cluster::makeDeviceType(*device);
    if (!isCertain)
      guess(fmt::format("/device_types/{}/memory_gib", device->name),
            fmt::format("\"{}\" does not say how much memory the devices have",
                        facts.product));
    group.node.devices = {{device->name, *facts.devices}};
    group.node.count = options.nodes.value_or(facts.nodes.value_or(1));
    if (!options.nodes && !facts.nodes)
      guess(pointer + "/node/count",
            "no source says how many such nodes there are; give --nodes");
    return true;
  }

  void addHost(const NodeFacts &facts) {
    group.node.hostPcieBytesPerSecond = device->hostGigabytesPerSecond * 1e9;
    guess(pointer + "/node/host/pcie_gb_per_s",
          fmt::format("of the usual node with {}", device->name));
    group.node.hostCores = facts.cores.value_or(0);
    if (facts.hostMebibytes)
      group.node.hostMemoryGib = double(*facts.hostMebibytes) / 1024;
  }

  void setFabric(const std::string &name, const std::string &topology,
                 const LinkType &link) {
    result.cluster.linkTypes[name + suffix] = link;
    group.node.fabricLink = name + suffix;
    group.node.fabricTopology = topology;
  }

  void addFabric(const NodeFacts &facts) {
    if (*facts.devices == 1)
      return;
    LinkType usual = cluster::makeLinkType(*device);
    if (facts.links.empty()) {
      setFabric(device->link, device->topology, usual);
      guess(pointer + "/node/fabric",
            fmt::format("of the usual node with {}; 'nvidia-smi topo -m' says "
                        "more",
                        device->name));
      return;
    }
    Fabric fabric = analyse(facts.links);
    if (fabric.islands.empty())
      return addBus(fabric, usual);
    addNvLink(fabric, usual);
  }

  /// Devices that talk over the host's bus.
  void addBus(const Fabric &fabric, LinkType usual) {
    std::string name = "pcie";
    if (usual.kind == "pcie") {
      name = device->link;
    } else {
      usual = LinkType();
      usual.kind = "pcie";
      usual.bytesPerSecond = device->hostGigabytesPerSecond * 1e9;
      usual.latencySeconds = 10e-6;
      usual.efficiency = 0.6;
      guess(fmt::format("/link_types/{}", name + suffix),
            "the devices have no NVLink among themselves; figures are those of "
            "their bus, and an efficiency that is usual for it");
    }
    setFabric(name, fabric.crossesProcessors ? "pcie-tree" : "switch", usual);
  }

  void addNvLink(const Fabric &fabric, LinkType link) {
    NvLinks links = nvLinksOf(*device);
    int64_t size = fabric.islands.front();
    bool isDirect = fabric.isComplete && fabric.perDevice <= links.count &&
                    size > 1 && fabric.perPair < links.count;
    double rate = double(isDirect || fabric.isComplete
                             ? fabric.perPair
                             : std::min(fabric.perDevice, links.count)) *
                  links.bytesPerSecond;
    if (link.kind != "nvlink" || rate != link.bytesPerSecond || isDirect) {
      // Measured constants of the usual node are for its links.
      LinkType other;
      other.kind = "nvlink";
      other.bytesPerSecond = rate;
      other.latencySeconds = link.kind == "nvlink" ? link.latencySeconds : 3e-6;
      other.efficiency = link.kind == "nvlink" ? link.efficiency : 0.8;
      link = other;
    }
    setFabric("nvlink", isDirect ? "full" : "switch", link);
    guess(fmt::format("/link_types/nvlink{}", suffix),
          fmt::format("{} GB/s per link and direction, as {} has them",
                      links.bytesPerSecond * 1e-9, device->name));
    if (!fabric.isComplete)
      guess(pointer + "/node/fabric/topology",
            "some pairs of devices have fewer links than others, or none; the "
            "fabric is taken as a switch with what the poorest device has");
    if (fabric.islands.size() < 2)
      return;
    group.node.islands = fabric.islands;
    if (!fabric.areNeighbours)
      guess(pointer + "/node/fabric/islands",
            "the devices of an island do not follow each other by number; "
            "programs must number them so, with CUDA_VISIBLE_DEVICES");
  }

  /// Interfaces that carry collectives: those near some device, if any is.
  std::vector<FoundInterface>
  usefulInterfaces(const std::vector<FoundInterface> &all) {
    std::vector<FoundInterface> near;
    std::ranges::copy_if(all, std::back_inserter(near),
                         &FoundInterface::isNear);
    if (near.empty() || near.size() == all.size())
      return all;
    guess(pointer + "/node/nics/count",
          fmt::format("interfaces that are far from all devices, {} of them, "
                      "are taken to be for storage and management",
                      all.size() - near.size()));
    return near;
  }

  void addNetwork(const NodeFacts &facts) {
    if (group.node.count == 1 && !severalKinds)
      return;
    LinkType link;
    link.latencySeconds = 5e-6;
    link.efficiency = 0.94;
    std::string name = "network" + suffix;
    std::string place = fmt::format("/link_types/{}", name);
    std::vector<FoundInterface> interfaces;
    if (facts.interfaces)
      interfaces = usefulInterfaces(*facts.interfaces);
    group.node.nicCount = static_cast<int64_t>(interfaces.size());
    if (interfaces.empty()) {
      group.node.nicCount = *facts.devices;
      guess(pointer + "/node/nics/count",
            "no source names interfaces; one per device is usual");
    }
    double gigabits = 0;
    for (const FoundInterface &each : interfaces) {
      // The slowest, where they differ.
      if (each.gigabitsPerSecond > 0 &&
          (gigabits == 0 || each.gigabitsPerSecond < gigabits))
        gigabits = each.gigabitsPerSecond;
      if (!each.kind.empty())
        link.kind = each.kind;
    }
    link.bytesPerSecond =
        gigabits > 0 ? gigabits * 1e9 / 8 : device->nicGigabytesPerSecond * 1e9;
    if (link.bytesPerSecond == 0)
      link.bytesPerSecond = 12.5e9;
    if (gigabits == 0)
      guess(place + "/bandwidth_gb_per_s",
            fmt::format("of the usual interface beside {}; 'ibstat' says more",
                        device->name));
    if (link.kind == "other") {
      link.kind = "infiniband";
      guess(place + "/kind", "no source names the kind of network");
    }
    guess(place + "/latency_us", "usual for such networks");
    guess(place + "/efficiency", "usual for such networks");
    guess(pointer + "/network", "all nodes are taken to be on one network "
                                "without oversubscription");
    bool isOnePerDevice = group.node.nicCount == *facts.devices;
    group.node.nicAffinity = isOnePerDevice ? "1:1" : "shared";
    if (isOnePerDevice && *facts.devices > 1)
      guess(pointer + "/node/nics/affinity",
            "there are as many interfaces as devices");
    group.network.rails = isOnePerDevice ? *facts.devices : 1;
    result.cluster.linkTypes[name] = link;
    group.node.nicLink = group.network.link = name;
  }

  const DetectOptions &options;
  bool severalKinds;
  DetectedCluster result;
  const BuiltinDevice *device = nullptr;
  Group group;
  std::string pointer, suffix;
};

} // namespace

std::string DetectedCluster::toJson() const {
  nlohmann::json json = nlohmann::json::parse(cluster.toJson());
  nlohmann::json guessed = nlohmann::json::object();
  for (const Guess &guess : guesses)
    guessed[guess.pointer] = guess.reason;
  json["x_guessed"] = guessed;
  return jsonText(json, 2) + "\n";
}

std::optional<DetectedCluster> makeDetectedCluster(const FoundNodes &nodes,
                                                   const DetectOptions &options,
                                                   std::string &error) {
  if (options.nodes && nodes.kinds.size() > 1) {
    error = "the sources name nodes of several kinds and how many there are of "
            "each; drop --nodes";
    return std::nullopt;
  }
  Maker maker(options, nodes.kinds.size());
  for (const NodeFacts &facts : nodes.kinds)
    if (!maker.add(facts)) {
      error = maker.error;
      return std::nullopt;
    }
  std::optional<DetectedCluster> made = maker.take();
  // What is written must be what can be read.
  ClusterResult read = readCluster(made->toJson());
  if (!read.cluster) {
    error = read.errorText();
    return std::nullopt;
  }
  return made;
}

} // namespace shardsmith
