// SPDX-License-Identifier: Apache-2.0
//
// A cluster as the planner sees it: pools of equal devices, and for a group of
// ranks the links its members talk over.

#ifndef SHARDSMITH_CLUSTER_TOPOLOGY_H
#define SHARDSMITH_CLUSTER_TOPOLOGY_H

#include "shardsmith/Cluster/Cluster.h"

#include <span>

namespace shardsmith {

/// One level of a group's path: `fanout` domains of the level below exchange
/// data over this link.
struct PathLevel {
  /// `island`, `node`, `network`, `interconnect`, or `unconnected`.
  std::string name;
  /// The cluster's group that the slowest of these domains belongs to; measured
  /// curves are looked up by it.
  std::string group;
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
  /// That one member of each group can send to a neighbour: more than the above
  /// where a group's members share an interface, less where every pair has its
  /// own cable.
  double pairBytesPerSecond = 0;
  /// The switch reduces and copies (NVLink SHARP).
  bool multicast = false;

  bool operator==(const PathLevel &) const = default;
};

/// How the members of a group reach each other: levels from the inside out.
/// The product of the fanouts is the number of members, or above it where a
/// group fills its nodes unevenly (7 members on nodes of 4 are 4 and 2). Groups
/// of one have no levels. Where the groups of an axis differ, this is the
/// slowest of them.
struct GroupPath {
  int64_t members = 1;
  std::vector<PathLevel> levels;

  /// Whether links join all members.
  bool isConnected() const {
    return levels.empty() || levels.back().bytesPerSecond > 0;
  }

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

/// Ranks [begin, end) of the usable devices in their order.
struct DeviceRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Neighbouring ranks that share something: an island, a node, a copy of a
/// group, what an interconnect joins. Equal neighbours are one run.
struct DomainRun {
  /// Ranks [begin, end), in domains of `size` ranks.
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size = 1;
  /// Domains in the runs before this one.
  int64_t domainsBefore = 0;
  /// Which of the level's links joins the parts of such a domain.
  unsigned link = 0;
};

/// What the parts of a domain talk over.
struct DomainLink {
  std::string group;
  std::string link;
  std::string linkKind;
  double latencySeconds = 0;
  bool multicast = false;
  /// How the parts are wired; decides how flows share it.
  enum class Wiring { Switch, FullMesh, Ring, Tree, Torus };
  Wiring wiring = Wiring::Switch;
  /// Sizes of a torus, innermost first.
  std::vector<int64_t> dims;
  /// That one device or cable carries.
  double endpointBytesPerSecond = 0;
  /// That leaves one part, shared by its devices; 0 where only endpoints
  /// count.
  double uplinkBytesPerSecond = 0;
};

/// All domains of one kind, covering all ranks in order.
struct DomainLevel {
  std::string name;
  std::vector<DomainRun> runs;
  std::vector<DomainLink> links;
};

/// A link or interface that differs from its kind. It slows the groups that
/// have both ends, the ranks begin and end − 1; or, for the interface of a
/// node, those that leave the node of the ranks [begin, end).
struct LinkException {
  int64_t begin = 0;
  int64_t end = 0;
  bool wholeNode = false;
  /// Index of the level whose traffic takes it; that of interfaces, further
  /// out, too.
  size_t level = 0;
  /// What is left of the bandwidth: as a figure and as a share.
  double bytesPerSecond = 1e30;
  double share = 1;
};

class ClusterTopology {
public:
  /// The cluster must outlive the topology.
  explicit ClusterTopology(const Cluster &cluster);

  const Cluster &cluster() const { return *described; }
  int64_t deviceCount() const { return ranks; }
  const std::vector<DevicePool> &pools() const { return devicePools; }
  const DeviceType &deviceType(unsigned pool) const {
    return described->deviceTypes.at(devicePools[pool].type);
  }

  /// The path of groups whose `size` members are `stride` ranks apart, within
  /// ranks [first, first + span): member j of group g is rank
  /// first + (g / stride) · stride · size + g mod stride + j · stride.
  /// `span` is a multiple of stride · size.
  GroupPath path(int64_t stride, int64_t size, int64_t first,
                 int64_t span) const;
  /// The same over as many devices as such groups can cover.
  GroupPath path(int64_t stride, int64_t size) const {
    return path(stride, size, 0, ranks / (stride * size) * stride * size);
  }

  /// The first of these among the ranks of some ranges, numbered anew as if
  /// there were no others. The ranges are in order and have no rank in common.
  GroupPath path(int64_t stride, int64_t size, int64_t first, int64_t span,
                 std::span<const DeviceRange> ranges) const;

private:
  ClusterTopology(const ClusterTopology &whole,
                  std::span<const DeviceRange> ranges);

  /// The slowest domain of a level for these groups, `members` of which lie in
  /// one part of it.
  PathLevel slowestLevel(size_t index, int64_t fanout, int64_t members,
                         int64_t stride, int64_t size, int64_t first,
                         int64_t span) const;

  const Cluster *described;
  int64_t ranks = 0;
  std::vector<DevicePool> devicePools;
  /// From the inside out; the last level is one domain of all ranks.
  std::vector<DomainLevel> levels;
  std::vector<LinkException> exceptions;
};

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_TOPOLOGY_H
