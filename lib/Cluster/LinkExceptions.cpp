// SPDX-License-Identifier: Apache-2.0

#include "DomainLinks.h"
#include "Domains.h"
#include "UsableDevices.h"

#include <algorithm>
#include <tuple>

namespace shardsmith::cluster {
namespace {

/// The domain that a rank lies in, counted over the level.
int64_t domainOf(const DomainLevel &level, int64_t rank) {
  for (const DomainRun &run : level.runs)
    if (rank < run.end)
      return run.domainsBefore + (rank - run.begin) / run.size;
  return 0;
}

/// The innermost level with a domain that holds both ranks.
size_t meetingLevel(const std::vector<DomainLevel> &levels, int64_t a,
                    int64_t b) {
  size_t level = 0;
  while (level + 1 < levels.size() &&
         domainOf(levels[level], a) != domainOf(levels[level], b))
    ++level;
  return level;
}

/// Around a missing link between devices: over the host, or over a third
/// device whose own traffic then shares its links.
double detour(const Group &group, bool sameNode, double usual) {
  double host = group.node.hostPcieBytesPerSecond;
  return sameNode && host > 0 ? std::min(usual, host) : usual / 2;
}

LinkException betweenDevices(const Cluster &cluster,
                             const std::vector<DomainLevel> &levels,
                             const LinkOverride &entry, int64_t from,
                             int64_t to, const UsableDevices &usable) {
  DevicePosition a = positionOf(cluster, from), b = positionOf(cluster, to);
  const Group &group = cluster.groups[a.group];
  bool sameNode =
      std::tie(a.group, a.copy, a.node) == std::tie(b.group, b.copy, b.node);
  DomainLink usual = sameNode ? describeFabric(cluster, group)
                              : describeNetwork(cluster, group);
  double changed = usual.endpointBytesPerSecond;
  if (entry.link)
    changed = cluster.linkTypes.at(*entry.link).flowBandwidth();
  if (entry.scale)
    changed *= *entry.scale;
  if (entry.down)
    changed = detour(group, sameNode, changed);
  LinkException result;
  result.begin = std::min(usable.rankOf(from), usable.rankOf(to));
  result.end = std::max(usable.rankOf(from), usable.rankOf(to)) + 1;
  result.level = meetingLevel(levels, result.begin, result.end - 1);
  result.bytesPerSecond = changed;
  return result;
}

/// An interface serves its own device, or all devices of the node alike.
LinkException ofInterface(const Cluster &cluster,
                          const std::vector<DomainLevel> &levels,
                          const LinkOverride &entry, int64_t firstDevice,
                          const UsableDevices &usable) {
  const Group &group = cluster.groups[positionOf(cluster, firstDevice).group];
  const Node &node = group.node;
  double usual = describeNetwork(cluster, group).uplinkBytesPerSecond *
                 group.network.oversubscription / double(node.nicCount);
  double changed = usual;
  if (entry.link)
    changed = cluster.linkTypes.at(*entry.link).flowBandwidth();
  if (entry.scale)
    changed *= *entry.scale;
  double share = changed / usual;
  bool isOwn = node.nicAffinity == "1:1";
  if (entry.down)
    share = isOwn ? 0.5 : 0;
  if (!isOwn)
    share = (double(node.nicCount - 1) + share) / double(node.nicCount);
  LinkException result;
  result.begin = usable.rankOf(firstDevice);
  result.end = usable.rankOf(firstDevice + node.deviceCount());
  result.level = 0;
  while (result.level + 1 < levels.size() &&
         levels[result.level].name != "network")
    ++result.level;
  result.share = std::max(share, 1e-9);
  result.wholeNode = true;
  return result;
}

} // namespace

std::vector<LinkException>
findLinkExceptions(const Cluster &cluster,
                   const std::vector<DomainLevel> &levels) {
  UsableDevices usable(cluster);
  std::vector<LinkException> exceptions;
  for (const LinkOverride &entry : cluster.links) {
    for (const std::string &path : {entry.from, entry.to})
      if (std::optional<int64_t> node = cluster.resolveInterface(path))
        exceptions.push_back(
            ofInterface(cluster, levels, entry, *node, usable));
    std::optional<int64_t> from = cluster.resolve(entry.from),
                           to = cluster.resolve(entry.to);
    if (from && to && usable.contains(*from) && usable.contains(*to))
      exceptions.push_back(
          betweenDevices(cluster, levels, entry, *from, *to, usable));
  }
  return exceptions;
}

} // namespace shardsmith::cluster
