// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_DOMAINS_H
#define SHARDSMITH_LIB_CLUSTER_DOMAINS_H

#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::cluster {

/// The domains of a cluster from the inside out, over the ranks of its usable
/// devices: islands (if any), nodes, copies of groups, what interconnects
/// join (fastest first), everything.
std::vector<DomainLevel> findDomains(const Cluster &cluster);

std::vector<DevicePool> findPools(const Cluster &cluster);

/// Links between usable devices, and interfaces, that the file changes.
/// `levels` are those of the cluster.
std::vector<LinkException>
findLinkExceptions(const Cluster &cluster,
                   const std::vector<DomainLevel> &levels);

/// What is left of a level, and of exceptions, if there were no ranks but those
/// of these ranges, numbered anew.
DomainLevel levelIn(std::span<const DeviceRange> ranges,
                    const DomainLevel &level);
std::vector<LinkException>
exceptionsIn(std::span<const DeviceRange> ranges,
             const std::vector<LinkException> &exceptions);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_DOMAINS_H
