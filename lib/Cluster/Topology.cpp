// SPDX-License-Identifier: Apache-2.0
//
// A group's members are an arithmetic progression of ranks and domains are
// runs of equal size, so how many members share a domain follows from a few
// divisions; no loop runs over devices.
//
//   nodes of 8        |· · · · · · · ·|· · · · · · · ·|· · · · · · · ·|
//   stride 3, size 8   x     x     x     x     x     x     x     x
//                      three in a node, three nodes: levels of 3 and 3

#include "Domains.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardsmith {
namespace {

/// The groups that `ClusterTopology::path` speaks of.
struct Groups {
  int64_t stride, size, first, span;

  /// Ranks from the first member of a chunk to the first of the next.
  int64_t chunk() const { return stride * size; }
  int64_t reach() const { return stride * (size - 1); }
};

/// How the groups lie in the domains of one level.
struct Spread {
  /// Most domains that one group touches.
  int64_t domains = 1;
  /// Members of such a group in one domain; all of them if it touches one.
  int64_t members = 1;
};

/// Domains that the group starting at rank `start` touches.
int64_t countDomains(const DomainLevel &level, const Groups &groups,
                     int64_t start) {
  int64_t last = start + groups.reach();
  int64_t count = 0;
  for (const DomainRun &run : level.runs) {
    if (run.end <= start || run.begin > last)
      continue;
    int64_t low = std::max(run.begin, start);
    int64_t high = std::min(run.end - 1, last);
    int64_t firstMember =
        start + ceilDivide(low - start, groups.stride) * groups.stride;
    int64_t lastMember = start + (high - start) / groups.stride * groups.stride;
    if (firstMember > lastMember)
      continue;
    count += groups.stride >= run.size
                 ? (lastMember - firstMember) / groups.stride + 1
                 : (lastMember - run.begin) / run.size -
                       (firstMember - run.begin) / run.size + 1;
  }
  return count;
}

/// The furthest into its domain, counted from the domain's begin, that any
/// group of the range starts, or a bound above it. `offset` is where the range
/// starts.
int64_t furthestStart(const Groups &groups, int64_t offset, int64_t size) {
  int64_t chunks = groups.span / groups.chunk();
  int64_t lastStart =
      offset + (chunks - 1) * groups.chunk() + groups.stride - 1;
  if (lastStart < size)
    return lastStart;
  int64_t period = std::gcd(groups.chunk(), size);
  constexpr int64_t fewChunks = 64;
  if (chunks < size / period && chunks <= fewChunks) {
    int64_t furthest = 0;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      int64_t start = (offset + chunk * groups.chunk()) % size;
      furthest = std::max(furthest, std::min(start + groups.stride, size) - 1);
    }
    return furthest;
  }
  // Starts take all residues of the period that the first chunk takes.
  int64_t missing = ((size - 1 - offset) % period + period) % period;
  return size - 1 - std::max<int64_t>(0, missing - (groups.stride - 1));
}

/// Most domains that any of the groups that lie wholly in the run touches.
int64_t countInside(const DomainRun &run, const Groups &groups) {
  int64_t low = std::max(run.begin - groups.first, int64_t(0));
  int64_t high = std::min(run.end - groups.first, groups.span);
  int64_t firstChunk = ceilDivide(low, groups.chunk());
  int64_t lastChunk = high / groups.chunk();
  if (firstChunk >= lastChunk)
    return 1;
  if (groups.stride >= run.size)
    return groups.size;
  Groups inside = groups;
  inside.first += firstChunk * groups.chunk();
  inside.span = (lastChunk - firstChunk) * groups.chunk();
  int64_t offset = (inside.first - run.begin) % run.size;
  return (furthestStart(inside, offset, run.size) + groups.reach()) / run.size +
         1;
}

/// The same for groups that lie across the rank, where domains change size.
int64_t countAcross(const DomainLevel &level, int64_t rank,
                    const Groups &groups) {
  if (rank <= groups.first || rank >= groups.first + groups.span)
    return 1;
  int64_t start =
      groups.first + (rank - groups.first) / groups.chunk() * groups.chunk();
  int64_t domains = 1;
  constexpr int64_t manyLanes = 64;
  int64_t step = std::max<int64_t>(1, groups.stride / manyLanes);
  for (int64_t lane = 0; lane < groups.stride; lane += step)
    domains = std::max(domains, countDomains(level, groups, start + lane));
  return std::max(domains,
                  countDomains(level, groups, start + groups.stride - 1));
}

Spread spreadOver(const DomainLevel &level, const Groups &groups) {
  int64_t end = groups.first + groups.span;
  Spread spread;
  int64_t perDomain = 1;
  for (const DomainRun &run : level.runs) {
    if (run.end <= groups.first || run.begin >= end)
      continue;
    spread.domains = std::max({spread.domains, countInside(run, groups),
                               countAcross(level, run.end, groups)});
    perDomain = std::max(perDomain, ceilDivide(run.size, groups.stride));
  }
  spread.members = std::min(perDomain, ceilDivide(groups.size, spread.domains));
  return spread;
}

/// How a group whose neighbours are `apart` parts apart lies on a torus.
struct TorusSpread {
  /// Dimensions that it extends in.
  double dims = 1;
  /// Steps from neighbour to neighbour.
  double hops = 1;
};

TorusSpread spreadOnTorus(const std::vector<int64_t> &dims, int64_t apart,
                          int64_t fanout) {
  int64_t inner = 1;
  size_t dim = 0;
  while (dim + 1 < dims.size() && inner * dims[dim] <= apart)
    inner *= dims[dim++];
  size_t last = dim;
  for (int64_t reach = inner; last < dims.size() && reach < apart * fanout;)
    reach *= dims[last++];
  return {double(std::max<size_t>(last - dim, 1)),
          std::max(1.0, double(apart) / double(inner))};
}

/// The part of a link's bandwidth that each member gets. `part` is the number
/// of ranks in one of the domains that the link joins, `members` those of one
/// group in it.
void setBandwidth(PathLevel &level, const DomainLink &link,
                  const Groups &groups, int64_t part, int64_t members) {
  using Wiring = DomainLink::Wiring;
  bool isAligned = groups.stride >= part || groups.chunk() >= part;
  // Groups that leave a domain: of those smaller than the domain only the ones
  // at its two ends, if there are more than at one.
  int64_t leaving = std::min(
      part, isAligned ? groups.stride
                      : std::min(2 * groups.stride, groups.span / groups.size));
  int64_t crossing = isAligned ? part : std::min(part, leaving * members);
  double bandwidth = link.endpointBytesPerSecond, pair = bandwidth;
  if (link.uplinkBytesPerSecond > 0) {
    bandwidth =
        std::min(bandwidth, link.uplinkBytesPerSecond / double(crossing));
    pair = std::min(pair, link.uplinkBytesPerSecond / double(leaving));
  }

  int64_t apart = std::max<int64_t>(1, groups.stride / part);
  switch (link.wiring) {
  case Wiring::Switch:
    break;
  case Wiring::FullMesh:
    bandwidth *= double(std::max<int64_t>(level.fanout - 1, 1));
    break;
  case Wiring::Ring:
    bandwidth /= double(apart);
    pair /= double(apart);
    break;
  case Wiring::Tree:
    bandwidth /= std::max(1.0, double(level.fanout) / 2);
    break;
  case Wiring::Torus: {
    TorusSpread torus = spreadOnTorus(link.dims, apart, level.fanout);
    bandwidth *= torus.dims / double(link.dims.size()) / torus.hops;
    // One cable in each direction of each dimension.
    pair /= 2 * double(link.dims.size()) * torus.hops;
    break;
  }
  }
  level.bytesPerSecond = bandwidth;
  level.pairBytesPerSecond = pair;
}

/// Whether an exception lies in the way of one of the groups.
bool concerns(const LinkException &exception, const Groups &groups) {
  int64_t begin = exception.begin - groups.first;
  int64_t end = exception.end - groups.first;
  if (exception.wholeNode)
    return begin < groups.span && end > 0;
  --end;
  return begin >= 0 && end < groups.span &&
         begin / groups.chunk() == end / groups.chunk() &&
         begin % groups.stride == end % groups.stride;
}

} // namespace

ClusterTopology::ClusterTopology(const Cluster &cluster)
    : described(&cluster), devicePools(cluster::findPools(cluster)),
      levels(cluster::findDomains(cluster)),
      exceptions(cluster::findLinkExceptions(cluster, levels)) {
  ranks = devicePools.empty() ? 0 : devicePools.back().end;
}

ClusterTopology::ClusterTopology(const ClusterTopology &whole,
                                 std::span<const DeviceRange> ranges)
    : described(whole.described),
      exceptions(cluster::exceptionsIn(ranges, whole.exceptions)) {
  for (const DomainLevel &level : whole.levels)
    levels.push_back(cluster::levelIn(ranges, level));
  for (const DeviceRange &range : ranges)
    ranks += range.end - range.begin;
}

PathLevel ClusterTopology::slowestLevel(size_t index, int64_t fanout,
                                        int64_t members, int64_t stride,
                                        int64_t size, int64_t first,
                                        int64_t span) const {
  Groups groups{stride, size, first, span};
  const DomainLevel &level = levels[index];
  PathLevel slowest;
  for (const DomainRun &run : level.runs) {
    if (run.end <= first || run.begin >= first + span)
      continue;
    const DomainLink &link = level.links[run.link];
    PathLevel candidate{.name = level.name,
                        .group = link.group,
                        .link = link.link,
                        .linkKind = link.linkKind,
                        .fanout = fanout,
                        .latencySeconds = link.latencySeconds,
                        .multicast = link.multicast};
    // Domains of the level below, of which this one is made.
    int64_t part = 1;
    if (index > 0)
      for (const DomainRun &inner : levels[index - 1].runs)
        if (inner.begin < run.end && inner.end > run.begin)
          part = std::max(part, inner.size);
    setBandwidth(candidate, link, groups, part, members);
    bool isFirst = slowest.fanout == 1;
    double latency = std::max(slowest.latencySeconds, candidate.latencySeconds);
    if (isFirst || candidate.bytesPerSecond < slowest.bytesPerSecond)
      slowest = candidate;
    slowest.latencySeconds = latency;
  }
  double share = 1, limit = INFINITY;
  for (const LinkException &exception : exceptions) {
    bool isHere = exception.wholeNode ? exception.level <= index
                                      : exception.level == index;
    if (!isHere || !concerns(exception, groups))
      continue;
    share = std::min(share, exception.share);
    limit = std::min(limit, exception.bytesPerSecond);
  }
  for (double *bandwidth :
       {&slowest.bytesPerSecond, &slowest.pairBytesPerSecond})
    *bandwidth = std::min(*bandwidth * share, limit);
  return slowest;
}

GroupPath ClusterTopology::path(int64_t stride, int64_t size, int64_t first,
                                int64_t span) const {
  GroupPath result;
  result.members = size;
  Groups groups{stride, size, first, span};
  int64_t covered = 1;
  for (size_t index = 0; index < levels.size() && covered < size; ++index) {
    Spread spread = spreadOver(levels[index], groups);
    int64_t fanout = ceilDivide(spread.members, covered);
    if (fanout == 1)
      continue;
    result.levels.push_back(
        slowestLevel(index, fanout, covered, stride, size, first, span));
    covered *= fanout;
  }
  return result;
}

GroupPath ClusterTopology::path(int64_t stride, int64_t size, int64_t first,
                                int64_t span,
                                std::span<const DeviceRange> ranges) const {
  return ClusterTopology(*this, ranges).path(stride, size, first, span);
}

} // namespace shardsmith
