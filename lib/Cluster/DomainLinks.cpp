// SPDX-License-Identifier: Apache-2.0

#include "DomainLinks.h"

#include <algorithm>

namespace shardsmith::cluster {

DomainLink describeLink(const Cluster &cluster, const std::string &group,
                        const std::string &name) {
  const LinkType &type = cluster.linkTypes.at(name);
  DomainLink link;
  link.group = group;
  link.link = name;
  link.linkKind = type.kind;
  link.latencySeconds = type.latencySeconds + type.messageSeconds;
  link.multicast = type.multicast;
  link.endpointBytesPerSecond = type.flowBandwidth();
  return link;
}

DomainLink describeHost(const Cluster &cluster, const Group &group) {
  DomainLink link;
  if (!group.node.fabricLink.empty())
    link = describeLink(cluster, group.name, group.node.fabricLink);
  link.group = group.name;
  if (group.node.hostPcieBytesPerSecond > 0) {
    link.link = "host";
    link.linkKind = "pcie";
    link.endpointBytesPerSecond = group.node.hostPcieBytesPerSecond;
  }
  link.multicast = false;
  return link;
}

DomainLink describeFabric(const Cluster &cluster, const Group &group) {
  using Wiring = DomainLink::Wiring;
  const Node &node = group.node;
  if (node.fabricLink.empty() || node.fabricTopology == "none")
    return describeHost(cluster, group);
  DomainLink link = describeLink(cluster, group.name, node.fabricLink);
  if (node.fabricTopology == "full" && link.linkKind != "shared-memory")
    link.wiring = Wiring::FullMesh;
  if (node.fabricTopology == "ring")
    link.wiring = Wiring::Ring;
  if (node.fabricTopology == "pcie-tree")
    link.wiring = Wiring::Tree;
  return link;
}

DomainLink describeNetwork(const Cluster &cluster, const Group &group) {
  using Wiring = DomainLink::Wiring;
  const Network &network = group.network;
  const Node &node = group.node;
  std::string name = network.link.empty() ? node.nicLink : network.link;
  if (name.empty()) {
    DomainLink none;
    none.group = group.name;
    return none;
  }
  DomainLink link = describeLink(cluster, group.name, name);
  double port = link.endpointBytesPerSecond;
  if (!node.nicLink.empty())
    port = std::min(port, cluster.linkTypes.at(node.nicLink).flowBandwidth());
  link.uplinkBytesPerSecond = port *
                              double(std::max<int64_t>(node.nicCount, 1)) /
                              network.oversubscription;
  link.endpointBytesPerSecond =
      node.nicAffinity == "1:1" ? port : link.uplinkBytesPerSecond;
  if (network.topology == "ring")
    link.wiring = Wiring::Ring;
  if (network.topology.starts_with("torus")) {
    link.wiring = Wiring::Torus;
    link.dims = network.dims;
  }
  return link;
}

} // namespace shardsmith::cluster
