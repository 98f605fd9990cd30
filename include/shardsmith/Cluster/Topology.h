// SPDX-License-Identifier: Apache-2.0
//
// A cluster as the planner sees it: pools of equal devices, and for a group of
// ranks the links its members talk over.

#ifndef SHARDSMITH_CLUSTER_TOPOLOGY_H
#define SHARDSMITH_CLUSTER_TOPOLOGY_H

#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith {

/// One level of a group's path: `fanout` domains of the level below exchange
/// data over this link.
struct PathLevel {
  /// `node`, `island`, `network`, `wan` or the group's name; for reports and
  /// to look up measured curves.
  std::string name;
  /// The link type's name and kind.
  std::string link;
  std::string linkKind;
  int64_t fanout = 1;
  /// One way, per message between neighbours, software included.
  double latencySeconds = 0;
  /// That each *member* can send while receiving as much, with all groups of
  /// the axis at work at the same time (interfaces are shared, oversubscribed
  /// uplinks are divided).
  double bytesPerSecond = 0;
  /// The switch reduces and copies (NVLink SHARP).
  bool multicast = false;

  bool operator==(const PathLevel &) const = default;
};

/// How the members of a group reach each other: levels from the inside out,
/// product of the fanouts = members. Groups of one have no levels. Where the
/// groups of an axis differ, this is the slowest of them.
struct GroupPath {
  int64_t members = 1;
  std::vector<PathLevel> levels;

  bool operator==(const GroupPath &) const = default;
};

/// Devices of one type in consecutive ranks.
struct DevicePool {
  std::string type;
  /// Ranks [begin, end) of the usable devices in their order.
  int64_t begin = 0;
  int64_t end = 0;

  int64_t count() const { return end - begin; }
};

class ClusterTopology {
public:
  /// The cluster must outlive the topology.
  explicit ClusterTopology(const Cluster &cluster);

  const Cluster &cluster() const { return *described; }
  int64_t deviceCount() const;
  const std::vector<DevicePool> &pools() const { return devicePools; }
  const DeviceType &deviceType(unsigned pool) const;

  /// The path of groups whose `size` members are `stride` ranks apart, within
  /// ranks [first, first + span): member j of group g is rank
  /// first + (g / stride) · stride · size + g mod stride + j · stride.
  /// `span` is a multiple of stride · size.
  GroupPath path(int64_t stride, int64_t size, int64_t first,
                 int64_t span) const;
  /// The same over all devices that `count` ranks use.
  GroupPath path(int64_t stride, int64_t size) const {
    return path(stride, size, 0,
                deviceCount() / (stride * size) * stride * size);
  }

private:
  const Cluster *described;
  std::vector<int64_t> devices;
  std::vector<DevicePool> devicePools;
};

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_TOPOLOGY_H
