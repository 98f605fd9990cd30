// SPDX-License-Identifier: Apache-2.0

#include "Interconnects.h"

#include "DomainLinks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardsmith::cluster {
namespace {

/// Copies that are joined, as a forest.
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

/// The copies [begin, end) that `group[i]` or `group[*]` means.
struct Selection {
  size_t begin = 0;
  size_t end = 0;
};

Selection select(const Cluster &cluster, const Copies &copies,
                 const std::string &selector) {
  size_t bracket = selector.find('[');
  std::string name = selector.substr(0, bracket);
  for (size_t group = 0; group < cluster.groups.size(); ++group) {
    if (cluster.groups[group].name != name)
      continue;
    size_t first = copies.firstOfGroup[group];
    if (selector[bracket + 1] == '*')
      return {first, copies.firstOfGroup[group + 1]};
    size_t index = std::stoull(selector.substr(bracket + 1));
    return {first + index, first + index + 1};
  }
  return {};
}

void join(Forest &forest, Selection firsts, Selection seconds) {
  if (firsts.begin == firsts.end || seconds.begin == seconds.end)
    return;
  for (size_t copy = firsts.begin; copy < firsts.end; ++copy)
    forest.join(copy, seconds.begin);
  for (size_t copy = seconds.begin; copy < seconds.end; ++copy)
    forest.join(copy, firsts.begin);
}

DomainLevel levelOf(Forest &forest, const Copies &copies, DomainLink link) {
  size_t count = copies.ranks.size();
  // The last copy of each tree; what lies before it belongs to the domain.
  std::vector<size_t> last(count);
  for (size_t copy = 0; copy < count; ++copy)
    last[forest.root(copy)] = copy;
  LevelBuilder builder("interconnect");
  unsigned index = builder.addLink(std::move(link));
  for (size_t copy = 0; copy < count;) {
    size_t end = last[forest.root(copy)];
    for (size_t inner = copy; inner <= end; ++inner)
      end = std::max(end, last[forest.root(inner)]);
    builder.addDomain(copies.ranks[copy].begin, copies.ranks[end].end, index);
    copy = end + 1;
  }
  return builder.take();
}

/// What a device sends at most out of its node: its share of the interfaces.
double deviceShare(const Cluster &cluster) {
  double share = INFINITY;
  for (const Group &group : cluster.groups)
    if (group.node.nicCount > 0)
      share =
          std::min(share, describeNetwork(cluster, group).uplinkBytesPerSecond /
                              double(group.node.deviceCount()));
  return share;
}

} // namespace

std::vector<DomainLevel> findInterconnected(const Cluster &cluster,
                                            const Copies &copies) {
  struct Entry {
    const Interconnect *interconnect;
    double bytesPerSecond;
  };
  std::vector<Entry> entries;
  entries.reserve(cluster.interconnects.size());
  for (const Interconnect &entry : cluster.interconnects)
    entries.push_back(
        {&entry, cluster.linkTypes.at(entry.link).flowBandwidth() *
                     double(entry.parallel)});
  // Equal ones in file order: the pointers rise with it.
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.bytesPerSecond != b.bytesPerSecond
               ? a.bytesPerSecond > b.bytesPerSecond
               : a.interconnect < b.interconnect;
  });

  double device = deviceShare(cluster);
  std::vector<DomainLevel> levels;
  Forest forest(copies.ranks.size());
  for (size_t i = 0; i < entries.size();) {
    double bandwidth = entries[i].bytesPerSecond;
    DomainLink link = describeLink(cluster, "", entries[i].interconnect->link);
    link.uplinkBytesPerSecond = bandwidth;
    link.endpointBytesPerSecond = std::min(bandwidth, device);
    for (; i < entries.size() && entries[i].bytesPerSecond == bandwidth; ++i) {
      const Interconnect &entry = *entries[i].interconnect;
      join(forest, select(cluster, copies, entry.first),
           select(cluster, copies, entry.second));
      link.latencySeconds =
          std::max(link.latencySeconds,
                   describeLink(cluster, "", entry.link).latencySeconds);
    }
    levels.push_back(levelOf(forest, copies, link));
  }
  return levels;
}

} // namespace shardsmith::cluster
