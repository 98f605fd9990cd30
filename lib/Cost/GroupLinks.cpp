// SPDX-License-Identifier: Apache-2.0

#include "GroupLinks.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace shardsmith::cost {
namespace {

/// What two devices have in common, nearest first.
enum class Distance { SameNode, SameCopy, FarApart };

double messageLatency(const LinkType &link) {
  return link.latencySeconds + link.messageSeconds;
}

class LinkFinder {
public:
  explicit LinkFinder(const Cluster &cluster) : cluster(cluster) {}

  GroupLink find(const std::vector<int64_t> &group) const {
    std::vector<DevicePosition> positions;
    for (int64_t device : group)
      positions.push_back(positionOf(cluster, device));

    const Group &home = cluster.groups[positions.front().group];
    GroupLink result;
    result.membersPerNode = countPerNode(positions);
    result.innerLatency = 0;
    result.innerBandwidth = 1e18;
    if (!home.node.fabricLink.empty()) {
      const LinkType &fabric = cluster.linkTypes.at(home.node.fabricLink);
      result.innerLatency = messageLatency(fabric);
      result.innerBandwidth = innerBandwidth(group, positions, fabric);
    }
    switch (farthest(positions)) {
    case Distance::SameNode:
      result.latency = result.innerLatency;
      result.bandwidth = result.innerBandwidth;
      result.scope = home.name + ".node";
      return result;
    case Distance::SameCopy:
      joinNetwork(result, home);
      result.scope = home.name;
      return result;
    case Distance::FarApart:
      joinNetwork(result, home);
      joinInterconnects(result, positions);
      result.scope = "*";
      return result;
    }
    return result;
  }

private:
  static Distance between(const DevicePosition &a, const DevicePosition &b) {
    if (std::tie(a.group, a.copy) != std::tie(b.group, b.copy))
      return Distance::FarApart;
    return a.node == b.node ? Distance::SameNode : Distance::SameCopy;
  }

  static Distance farthest(const std::vector<DevicePosition> &positions) {
    Distance result = Distance::SameNode;
    for (const DevicePosition &position : positions)
      result = std::max(result, between(positions.front(), position));
    return result;
  }

  static int64_t countPerNode(const std::vector<DevicePosition> &positions) {
    std::set<std::tuple<size_t, int64_t, int64_t>> nodes;
    for (const DevicePosition &position : positions)
      nodes.insert({position.group, position.copy, position.node});
    return int64_t(positions.size() / nodes.size());
  }

  /// The fabric, or the host's bus where members sit on different islands,
  /// with single-link overrides applied.
  double innerBandwidth(const std::vector<int64_t> &group,
                        const std::vector<DevicePosition> &positions,
                        const LinkType &fabric) const {
    const Node &node = cluster.groups[positions.front().group].node;
    double bandwidth = fabric.flowBandwidth();
    std::set<size_t> islands;
    for (const DevicePosition &position : positions)
      islands.insert(islandOf(node, position.local));
    if (islands.size() > 1 && node.hostPcieBytesPerSecond > 0)
      bandwidth = std::min(bandwidth, node.hostPcieBytesPerSecond);

    for (const LinkOverride &entry : cluster.links) {
      std::optional<int64_t> from = cluster.resolve(entry.from),
                             to = cluster.resolve(entry.to);
      bool isMeant =
          from && to &&
          std::find(group.begin(), group.end(), *from) != group.end() &&
          std::find(group.begin(), group.end(), *to) != group.end();
      if (!isMeant)
        continue;
      double changed = fabric.flowBandwidth();
      if (entry.link)
        changed = cluster.linkTypes.at(*entry.link).flowBandwidth();
      if (entry.scale)
        changed *= *entry.scale;
      // Around a missing link: over the host, or over a third device whose
      // own traffic then shares its links.
      if (entry.down)
        changed = node.hostPcieBytesPerSecond > 0 ? node.hostPcieBytesPerSecond
                                                  : changed / 2;
      bandwidth = std::min(bandwidth, changed);
    }
    return bandwidth;
  }

  static size_t islandOf(const Node &node, int64_t local) {
    for (size_t island = 0; island < node.islands.size(); ++island) {
      if (local < node.islands[island])
        return island;
      local -= node.islands[island];
    }
    return 0;
  }

  /// A node's interfaces are shared by all its devices, so the members of
  /// this group get their part; the ring leaves the node with all of it.
  void joinNetwork(GroupLink &result, const Group &home) const {
    const LinkType &link = cluster.linkTypes.at(
        home.network.link.empty() ? home.node.nicLink : home.network.link);
    double interfaces = double(std::max<int64_t>(home.node.nicCount, 1));
    double share = interfaces * double(result.membersPerNode) /
                   double(home.node.deviceCount());
    result.latency = messageLatency(link);
    result.bandwidth =
        std::min(link.flowBandwidth() * share / home.network.oversubscription,
                 result.innerBandwidth);
  }

  void joinInterconnects(GroupLink &result,
                         const std::vector<DevicePosition> &positions) const {
    const DevicePosition &first = positions.front();
    for (const DevicePosition &position : positions) {
      if (between(first, position) != Distance::FarApart)
        continue;
      const Interconnect *entry = findInterconnect(first, position);
      if (!entry) {
        // Not connected: no plan may communicate here.
        result.bandwidth = 1e-9;
        return;
      }
      const LinkType &link = cluster.linkTypes.at(entry->link);
      const Group &home = cluster.groups[first.group];
      double flows = double(home.node.count * home.node.deviceCount()) /
                     double(result.membersPerNode);
      result.latency = std::max(result.latency, messageLatency(link));
      result.bandwidth =
          std::min(result.bandwidth,
                   link.flowBandwidth() * double(entry->parallel) / flows);
    }
  }

  bool selects(const std::string &selector,
               const DevicePosition &position) const {
    const std::string &name = cluster.groups[position.group].name;
    return selector == name + "[*]" ||
           selector == name + "[" + std::to_string(position.copy) + "]";
  }

  const Interconnect *findInterconnect(const DevicePosition &a,
                                       const DevicePosition &b) const {
    for (const Interconnect &entry : cluster.interconnects)
      if ((selects(entry.first, a) && selects(entry.second, b)) ||
          (selects(entry.first, b) && selects(entry.second, a)))
        return &entry;
    return nullptr;
  }

  const Cluster &cluster;
};

} // namespace

GroupLink findGroupLink(const Cluster &cluster,
                        llvm::ArrayRef<std::vector<int64_t>> groups) {
  LinkFinder finder(cluster);
  GroupLink worst = finder.find(groups.front());
  for (const std::vector<int64_t> &group : groups.drop_front()) {
    GroupLink link = finder.find(group);
    if (link.bandwidth < worst.bandwidth ||
        (link.bandwidth == worst.bandwidth && link.latency > worst.latency))
      worst = link;
  }
  return worst;
}

} // namespace shardsmith::cost
