// SPDX-License-Identifier: Apache-2.0

#include "ClusterCheck.h"

#include "shardsmith/Support/ClosestWord.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace shardsmith::cluster {
namespace {

constexpr int64_t maximalDevices = int64_t(1) << 20;

class Checker {
public:
  Checker(Cluster &cluster, std::vector<ClusterIssue> &errors,
          std::vector<ClusterIssue> &warnings)
      : cluster(cluster), errors(errors), warnings(warnings) {}

  void run() {
    for (size_t index = 0; index < cluster.groups.size(); ++index)
      checkGroup(index);
    if (!errors.empty())
      return; // Counts and paths below rely on sound groups.
    checkSize();
    if (!errors.empty())
      return;
    checkInterconnects();
    checkLinks();
    checkCalibration(cluster, errors, warnings);
    checkExclusions();
    warnUnused();
  }

private:
  void error(const std::string &pointer, const std::string &message) {
    errors.push_back({pointer, message});
  }

  template <typename Map>
  void checkName(const Map &known, const std::string &name,
                 const std::string &pointer, const char *what) {
    if (known.contains(name))
      return;
    std::vector<std::string> names;
    for (const auto &[key, unused] : known)
      names.push_back(key);
    std::string hint = closestWord(name, names);
    error(pointer,
          fmt::format(
              "unknown {} type \"{}\"{}", what, name,
              hint.empty() ? "" : fmt::format(", did you mean \"{}\"?", hint)));
  }

  void useLink(const std::string &name, const std::string &pointer) {
    checkName(cluster.linkTypes, name, pointer, "link");
    usedLinks.insert(name);
  }

  void checkGroup(size_t index) {
    const Group &group = cluster.groups[index];
    std::string pointer = "/groups/" + std::to_string(index);
    for (size_t other = 0; other < index; ++other)
      if (cluster.groups[other].name == group.name)
        error(pointer + "/name",
              fmt::format("\"{}\" is the name of group {} already", group.name,
                          other));
    checkNode(group, pointer + "/node");
    checkNetwork(group, pointer + "/network");
  }

  void checkNode(const Group &group, const std::string &pointer) {
    const Node &node = group.node;
    for (size_t slot = 0; slot < node.devices.size(); ++slot) {
      checkName(cluster.deviceTypes, node.devices[slot].type,
                fmt::format("{}/devices/{}/type", pointer, slot), "device");
      usedDevices.insert(node.devices[slot].type);
    }
    int64_t devices = node.deviceCount();
    if (!node.fabricLink.empty())
      useLink(node.fabricLink, pointer + "/fabric/link");
    else if (devices > 1 && node.fabricTopology != "none")
      error(
          pointer + "/fabric/link",
          fmt::format("missing; {} devices need a link between them", devices));
    if (devices > 1 && node.fabricTopology == "none" &&
        node.hostPcieBytesPerSecond == 0)
      error(pointer + "/host/pcie_gb_per_s",
            "missing; devices without a fabric talk over the host");
    if (!node.islands.empty()) {
      int64_t sum = 0;
      for (int64_t island : node.islands)
        if (__builtin_add_overflow(sum, island, &sum))
          sum = INT64_MAX;
      if (sum != devices)
        error(pointer + "/fabric/islands",
              fmt::format("islands hold {} devices, the node has {}", sum,
                          devices));
    }
    if (node.nicCount > 0)
      useLink(node.nicLink, pointer + "/nics/link");
    bool spansNodes = node.count > 1 || group.count > 1;
    if (spansNodes && node.nicCount == 0)
      error(pointer + "/nics",
            "missing; devices of several nodes need network interfaces");
    if (node.nicAffinity == "1:1" && node.nicCount != devices)
      error(pointer + "/nics/affinity",
            fmt::format("\"1:1\" needs as many interfaces as devices, found "
                        "{} for {}",
                        node.nicCount, devices));
  }

  void checkNetwork(const Group &group, const std::string &pointer) {
    const Network &network = group.network;
    if (group.node.count == 1)
      return;
    if (!network.link.empty())
      useLink(network.link, pointer + "/link");
    if (network.rails != 1 && network.rails != group.node.nicCount)
      error(pointer + "/rails",
            fmt::format("expected 1 or the number of network interfaces ({}), "
                        "found {}",
                        group.node.nicCount, network.rails));
    bool isTorus = network.topology.starts_with("torus");
    if (isTorus && network.dims.empty())
      error(pointer + "/dims", "missing; a torus needs its dimensions");
    if (network.dims.empty())
      return;
    int64_t product = 1;
    for (int64_t dim : network.dims)
      product = checkedMultiply(product, dim).value_or(maximalDevices * 2);
    if (product != group.node.count)
      error(pointer + "/dims",
            fmt::format("dimensions multiply to {}, the group has {} nodes",
                        product, group.node.count));
  }

  void checkSize() {
    int64_t devices = 0;
    Bytes memory;
    for (size_t index = 0; index < cluster.groups.size(); ++index) {
      const Group &group = cluster.groups[index];
      std::optional<int64_t> count =
          checkedMultiply(group.count, group.node.count);
      if (count)
        count = checkedMultiply(*count, group.node.deviceCount());
      if (count)
        devices += std::min(*count, maximalDevices + 1);
      if (!count || devices > maximalDevices) {
        error("/groups/" + std::to_string(index),
              fmt::format("more than {} devices", maximalDevices));
        return;
      }
      for (const DeviceSlot &slot : group.node.devices)
        memory += cluster.deviceTypes.at(slot.type).memory *
                  (group.count * group.node.count * slot.count);
    }
    if (memory.isSaturated())
      error("/device_types", "total memory does not fit 64 bits");
  }

  /// `group[i]` or `group[*]`; returns the group, or nothing.
  std::optional<size_t> selectGroup(const std::string &selector) const {
    size_t bracket = selector.find('[');
    if (bracket == std::string::npos || selector.back() != ']')
      return std::nullopt;
    std::string name = selector.substr(0, bracket);
    std::string index =
        selector.substr(bracket + 1, selector.size() - bracket - 2);
    for (size_t group = 0; group < cluster.groups.size(); ++group) {
      if (cluster.groups[group].name != name)
        continue;
      if (index == "*")
        return group;
      bool isNumber = !index.empty() && index.size() < 8 &&
                      std::all_of(index.begin(), index.end(), ::isdigit);
      if (isNumber && std::stoll(index) < cluster.groups[group].count)
        return group;
      return std::nullopt;
    }
    return std::nullopt;
  }

  void checkInterconnects() {
    // Groups joined so far, as a forest of parents.
    std::vector<size_t> parent(cluster.groups.size());
    std::iota(parent.begin(), parent.end(), 0);
    auto root = [&](size_t group) {
      while (parent[group] != group)
        group = parent[group];
      return group;
    };
    for (size_t index = 0; index < cluster.interconnects.size(); ++index) {
      const Interconnect &entry = cluster.interconnects[index];
      std::string pointer = "/interconnects/" + std::to_string(index);
      useLink(entry.link, pointer + "/link");
      auto first = selectGroup(entry.first), second = selectGroup(entry.second);
      for (auto [found, name, position] : {std::tuple(first, entry.first, 0),
                                           std::tuple(second, entry.second, 1)})
        if (!found)
          error(fmt::format("{}/between/{}", pointer, position),
                fmt::format("\"{}\" names no group; expected group[index] or "
                            "group[*]",
                            name));
      if (entry.first == entry.second)
        error(pointer + "/between",
              fmt::format("\"{}\" is connected with itself", entry.first));
      if (first && second)
        parent[root(*first)] = root(*second);
    }
    for (size_t group = 1; group < cluster.groups.size(); ++group)
      if (root(group) != root(0))
        warnings.push_back(
            {"/interconnects",
             fmt::format("group \"{}\" is not connected with \"{}\"; plans "
                         "cannot span them",
                         cluster.groups[group].name, cluster.groups[0].name)});
  }

  void checkLinks() {
    for (size_t index = 0; index < cluster.links.size(); ++index) {
      const LinkOverride &entry = cluster.links[index];
      std::string pointer = "/links/" + std::to_string(index);
      checkEnd(entry.from, pointer + "/from");
      checkEnd(entry.to, pointer + "/to");
      if (entry.link)
        useLink(*entry.link, pointer + "/link");
    }
  }

  void checkEnd(const std::string &path, const std::string &pointer) {
    if (!cluster.resolveInterface(path))
      checkPath(path, pointer);
  }

  void checkPath(const std::string &path, const std::string &pointer) {
    if (!cluster.resolve(path))
      error(pointer, fmt::format("\"{}\" names no device; expected "
                                 "group[i].n[j].d[k] within the groups",
                                 path));
  }

  void checkExclusions() {
    for (size_t index = 0; index < cluster.limits.exclude.size(); ++index)
      checkPath(cluster.limits.exclude[index],
                "/limits/exclude/" + std::to_string(index));
    // Prices may still change: `limitsProblem` says what they leave.
    if (errors.empty() && cluster.withoutBudgets().usableDevices().empty())
      error("/limits/exclude", "no device is left");
  }

  void warnUnused() {
    for (const auto &[name, unused] : cluster.deviceTypes)
      if (!usedDevices.contains(name))
        warnings.push_back({"/device_types/" + name, "is not used"});
    for (const auto &[name, unused] : cluster.linkTypes)
      if (!usedLinks.contains(name))
        warnings.push_back({"/link_types/" + name, "is not used"});
  }

  Cluster &cluster;
  std::vector<ClusterIssue> &errors;
  std::vector<ClusterIssue> &warnings;
  std::set<std::string> usedDevices, usedLinks;
};

} // namespace

void checkCluster(Cluster &cluster, std::vector<ClusterIssue> &errors,
                  std::vector<ClusterIssue> &warnings) {
  Checker(cluster, errors, warnings).run();
}

} // namespace shardsmith::cluster
