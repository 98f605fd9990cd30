// SPDX-License-Identifier: Apache-2.0

#include "Domains.h"

#include "DomainLinks.h"
#include "Interconnects.h"
#include "UsableDevices.h"

namespace shardsmith::cluster {
namespace {

DomainLevel findIslands(const Cluster &cluster, const UsableDevices &usable) {
  LevelBuilder builder("island");
  int64_t id = 0;
  for (const Group &group : cluster.groups) {
    unsigned link = builder.addLink(describeFabric(cluster, group));
    std::vector<int64_t> islands = group.node.islands;
    if (islands.empty())
      islands = {group.node.deviceCount()};
    for (int64_t node = 0; node < group.count * group.node.count; ++node)
      for (int64_t size : islands) {
        builder.addDomain(usable.rankOf(id), usable.rankOf(id + size), link);
        id += size;
      }
  }
  return builder.take();
}

DomainLevel findNodes(const Cluster &cluster, const UsableDevices &usable) {
  LevelBuilder builder("node");
  int64_t id = 0;
  for (const Group &group : cluster.groups) {
    unsigned link = builder.addLink(group.node.islands.size() > 1
                                        ? describeHost(cluster, group)
                                        : describeFabric(cluster, group));
    int64_t size = group.node.deviceCount();
    for (int64_t node = 0; node < group.count * group.node.count; ++node) {
      builder.addDomain(usable.rankOf(id), usable.rankOf(id + size), link);
      id += size;
    }
  }
  return builder.take();
}

Copies listCopies(const Cluster &cluster, const UsableDevices &usable) {
  Copies copies;
  int64_t id = 0;
  for (const Group &group : cluster.groups) {
    copies.firstOfGroup.push_back(copies.ranks.size());
    int64_t size = group.node.count * group.node.deviceCount();
    for (int64_t copy = 0; copy < group.count; ++copy) {
      copies.ranks.push_back({usable.rankOf(id), usable.rankOf(id + size)});
      id += size;
    }
  }
  copies.firstOfGroup.push_back(copies.ranks.size());
  return copies;
}

DomainLevel findCopies(const Cluster &cluster, const Copies &copies) {
  LevelBuilder builder("network");
  for (size_t group = 0; group < cluster.groups.size(); ++group) {
    unsigned link =
        builder.addLink(describeNetwork(cluster, cluster.groups[group]));
    for (size_t copy = copies.firstOfGroup[group];
         copy < copies.firstOfGroup[group + 1]; ++copy)
      builder.addDomain(copies.ranks[copy].begin, copies.ranks[copy].end, link);
  }
  return builder.take();
}

} // namespace

std::vector<DomainLevel> findDomains(const Cluster &cluster) {
  UsableDevices usable(cluster);
  std::vector<DomainLevel> levels;
  bool hasIslands = false;
  for (const Group &group : cluster.groups)
    hasIslands |= group.node.islands.size() > 1;
  if (hasIslands)
    levels.push_back(findIslands(cluster, usable));
  levels.push_back(findNodes(cluster, usable));
  Copies copies = listCopies(cluster, usable);
  levels.push_back(findCopies(cluster, copies));
  for (DomainLevel &level : findInterconnected(cluster, copies))
    levels.push_back(std::move(level));

  const std::vector<DomainRun> &runs = levels.back().runs;
  bool isWhole =
      runs.size() == 1 && runs[0].size == runs[0].end - runs[0].begin;
  if (!isWhole) {
    // Nothing connects these.
    LevelBuilder builder("unconnected");
    DomainLink none;
    none.linkKind = "other";
    builder.addDomain(0, runs.empty() ? 0 : runs.back().end,
                      builder.addLink(none));
    levels.push_back(builder.take());
  }
  return levels;
}

std::vector<DevicePool> findPools(const Cluster &cluster) {
  UsableDevices usable(cluster);
  std::vector<DevicePool> pools;
  int64_t id = 0;
  for (const Group &group : cluster.groups)
    for (int64_t node = 0; node < group.count * group.node.count; ++node)
      for (const DeviceSlot &slot : group.node.devices) {
        int64_t begin = usable.rankOf(id), end = usable.rankOf(id + slot.count);
        id += slot.count;
        if (begin == end)
          continue;
        if (!pools.empty() && pools.back().type == slot.type)
          pools.back().end = end;
        else
          pools.push_back({slot.type, begin, end});
      }
  return pools;
}

} // namespace shardsmith::cluster
