// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_DOMAINLINKS_H
#define SHARDSMITH_LIB_CLUSTER_DOMAINLINKS_H

#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::cluster {

/// A link type of the cluster as a switch.
DomainLink describeLink(const Cluster &cluster, const std::string &group,
                        const std::string &name);
/// Between the devices of a node, or of an island of one.
DomainLink describeFabric(const Cluster &cluster, const Group &group);
/// Between islands, or devices without a fabric: over the host.
DomainLink describeHost(const Cluster &cluster, const Group &group);
/// Between the nodes of a group.
DomainLink describeNetwork(const Cluster &cluster, const Group &group);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_DOMAINLINKS_H
