// SPDX-License-Identifier: Apache-2.0

#include "Domains.h"

#include "DomainLinks.h"
#include "UsableDevices.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardsmith::cluster {
namespace {

/// Appends domains of ranks in order, merging equal neighbours.
class LevelBuilder {
public:
  explicit LevelBuilder(std::string name) { level.name = std::move(name); }

  unsigned addLink(DomainLink link) {
    level.links.push_back(std::move(link));
    return level.links.size() - 1;
  }
  void addDomain(int64_t begin, int64_t end, unsigned link) {
    if (begin == end)
      return;
    int64_t size = end - begin;
    if (!level.runs.empty() && level.runs.back().size == size &&
        level.runs.back().link == link) {
      level.runs.back().end = end;
    } else {
      level.runs.push_back({begin, end, size, domains, link});
    }
    ++domains;
  }
  DomainLevel take() { return std::move(level); }

private:
  DomainLevel level;
  int64_t domains = 0;
};

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

/// A copy of a group as interconnects see it.
struct Copy {
  size_t group;
  int64_t index;
  int64_t begin;
  int64_t end;
};

std::vector<Copy> listCopies(const Cluster &cluster,
                             const UsableDevices &usable) {
  std::vector<Copy> copies;
  int64_t id = 0;
  for (size_t group = 0; group < cluster.groups.size(); ++group) {
    int64_t size =
        cluster.groups[group].deviceCount() / cluster.groups[group].count;
    for (int64_t copy = 0; copy < cluster.groups[group].count; ++copy) {
      copies.push_back(
          {group, copy, usable.rankOf(id), usable.rankOf(id + size)});
      id += size;
    }
  }
  return copies;
}

DomainLevel findCopies(const Cluster &cluster,
                       const std::vector<Copy> &copies) {
  LevelBuilder builder("network");
  for (const Group &group : cluster.groups)
    builder.addLink(describeNetwork(cluster, group));
  for (const Copy &copy : copies)
    builder.addDomain(copy.begin, copy.end, copy.group);
  return builder.take();
}

/// Copies joined by interconnects, as a forest.
class Forest {
public:
  explicit Forest(size_t size) : parent(size) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  size_t root(size_t item) {
    while (parent[item] != item)
      item = parent[item] = parent[parent[item]];
    return item;
  }
  void join(size_t a, size_t b) {
    a = root(a), b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<size_t> parent;
};

bool selects(const Cluster &cluster, const std::string &selector,
             const Copy &copy) {
  const std::string &name = cluster.groups[copy.group].name;
  return selector == name + "[*]" ||
         selector == name + "[" + std::to_string(copy.index) + "]";
}

/// One level per interconnect bandwidth, fastest first; each joins what its
/// interconnects connect. Ranks of a domain must be neighbours, so copies
/// between two that are joined count as joined, too.
std::vector<DomainLevel> findInterconnected(const Cluster &cluster,
                                            const std::vector<Copy> &copies) {
  std::vector<const Interconnect *> entries;
  for (const Interconnect &entry : cluster.interconnects)
    entries.push_back(&entry);
  auto capacity = [&](const Interconnect *entry) {
    return flowBandwidth(cluster.linkTypes.at(entry->link)) *
           double(entry->parallel);
  };
  // Equal ones in file order: the pointers rise with it.
  std::sort(entries.begin(), entries.end(),
            [&](const Interconnect *a, const Interconnect *b) {
              double first = capacity(a), second = capacity(b);
              return first != second ? first > second : a < b;
            });

  std::vector<DomainLevel> levels;
  Forest forest(copies.size());
  for (size_t i = 0; i < entries.size();) {
    DomainLink link = describeLink(cluster, "", entries[i]->link);
    link.uplinkBytesPerSecond = capacity(entries[i]);
    link.endpointBytesPerSecond = link.uplinkBytesPerSecond;
    double reached = capacity(entries[i]);
    for (; i < entries.size() && capacity(entries[i]) == reached; ++i) {
      std::vector<size_t> firsts, seconds;
      for (size_t copy = 0; copy < copies.size(); ++copy) {
        if (selects(cluster, entries[i]->first, copies[copy]))
          firsts.push_back(copy);
        if (selects(cluster, entries[i]->second, copies[copy]))
          seconds.push_back(copy);
      }
      if (firsts.empty() || seconds.empty())
        continue;
      for (size_t copy : firsts)
        forest.join(copy, seconds.front());
      for (size_t copy : seconds)
        forest.join(copy, firsts.front());
    }
    // The last copy of each tree; what lies before it belongs to the domain.
    std::vector<size_t> last(copies.size());
    for (size_t copy = 0; copy < copies.size(); ++copy)
      last[forest.root(copy)] = copy;
    LevelBuilder builder("interconnect");
    unsigned index = builder.addLink(link);
    for (size_t copy = 0; copy < copies.size();) {
      size_t end = last[forest.root(copy)];
      for (size_t inner = copy; inner <= end; ++inner)
        end = std::max(end, last[forest.root(inner)]);
      builder.addDomain(copies[copy].begin, copies[end].end, index);
      copy = end + 1;
    }
    levels.push_back(builder.take());
  }
  return levels;
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
  std::vector<Copy> copies = listCopies(cluster, usable);
  levels.push_back(findCopies(cluster, copies));
  for (DomainLevel &level : findInterconnected(cluster, copies))
    levels.push_back(std::move(level));

  const std::vector<DomainRun> &runs = levels.back().runs;
  bool isWhole =
      runs.size() == 1 && runs[0].size == runs[0].end - runs[0].begin;
  if (!isWhole) {
    // Nothing connects these: the slowest link there is, so that plans avoid
    // it and costs saturate.
    LevelBuilder builder("unconnected");
    DomainLink none;
    none.linkKind = "other";
    none.endpointBytesPerSecond = none.uplinkBytesPerSecond = 1;
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
