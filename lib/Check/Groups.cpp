// SPDX-License-Identifier: Apache-2.0

#include "Groups.h"
#include "Rounding.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

/// Every member of the `far` groups stands for a whole `near` group.
GroupPath product(GroupPath near, const GroupPath &far) {
  if (near.members == 1)
    return far;
  for (const PathLevel &level : far.levels) {
    PathLevel &top = near.levels.back();
    bool sameLevel = top.name == level.name && top.link == level.link;
    if (!sameLevel) {
      near.levels.push_back(level);
      continue;
    }
    top.fanout *= level.fanout;
    top.latencySeconds = std::max(top.latencySeconds, level.latencySeconds);
    top.bytesPerSecond = std::min(top.bytesPerSecond, level.bytesPerSecond);
  }
  return near;
}

} // namespace

int64_t Groups::strideOf(PlanAxis axis) const {
  int64_t stride = 1;
  for (size_t i = 0; strategy.deviceOrder[i] != axis; ++i)
    stride *= strategy.degree(strategy.deviceOrder[i]);
  return stride;
}

int64_t Groups::blockSize() const {
  if (topology.pools().size() == 1)
    return strategy.rankCount();
  if (!strategy.dataShares.empty())
    return strategy.rankCount() / strategy.data;
  int64_t stage = strategy.rankCount() / strategy.pipeline;
  return strideOf(PlanAxis::Pipeline) == stage ? stage : strategy.rankCount();
}

int64_t Groups::dataRanksOn(unsigned pool) const {
  int64_t ranks = 0;
  for (const DataShare &share : strategy.dataShares)
    if (share.pool == pool)
      ranks = added(ranks, share.ranks);
  return ranks;
}

int64_t Groups::blocksOn(unsigned pool) const {
  return topology.pools()[pool].count() / blockSize();
}

GroupPath Groups::spaced(int64_t stride, int64_t size, unsigned pool) const {
  if (size == 1)
    return {};
  bool spansBlocks = stride * size > blockSize();
  if (strategy.dataShares.empty()) {
    // Such groups are looked at from the first device on.
    if (spansBlocks)
      return topology.path(stride, size, 0, stride * size);
    // As many blocks as the plan has, and the pool has room for.
    return inBlocks(
        stride, size, pool,
        std::min(blocksOn(pool), strategy.rankCount() / blockSize()));
  }
  if (!spansBlocks)
    return inBlocks(stride, size, pool, dataRanksOn(pool));
  return ofShares(stride, size, pool);
}

/// The slowest of the groups that have a member on the pool.
GroupPath Groups::ofShares(int64_t stride, int64_t size, unsigned pool) const {
  std::vector<DeviceRange> devices;
  std::vector<int64_t> firstRanks = {0};
  for (unsigned each = 0; each < topology.pools().size(); ++each) {
    int64_t ranks = dataRanksOn(each) * blockSize();
    DeviceRange range;
    range.begin = topology.pools()[each].begin;
    range.end = range.begin + ranks;
    devices.push_back(range);
    firstRanks.push_back(firstRanks.back() + ranks);
  }
  int64_t members = stride * size;
  int64_t lastGroup = firstRanks.back() / members - 1;
  int64_t first = std::min(firstRanks[pool] / members, lastGroup);
  int64_t last = std::min(
      std::max(firstRanks[pool + 1] - 1, int64_t{0}) / members, lastGroup);
  last = std::max(first, last);
  return topology.path(stride, size, first * members,
                       (last - first + 1) * members, devices);
}

/// Groups in the first blocks of a pool, or in its first one.
GroupPath Groups::inBlocks(int64_t stride, int64_t size, unsigned pool,
                           int64_t blocks) const {
  blocks = std::max<int64_t>(1, blocks);
  return topology.path(stride, size, topology.pools()[pool].begin,
                       blocks * blockSize());
}

GroupPath Groups::of(PlanAxis axis, unsigned pool) const {
  return spaced(strideOf(axis), strategy.degree(axis), pool);
}

bool Groups::isSlower(const GroupPath &one, const GroupPath &other) {
  if (one.levels.empty() || other.levels.empty())
    return !one.levels.empty();
  const PathLevel &a = one.levels.back(), &b = other.levels.back();
  return a.bytesPerSecond < b.bytesPerSecond ||
         (a.bytesPerSecond == b.bytesPerSecond &&
          a.latencySeconds > b.latencySeconds);
}

/// Inside a pool, the ranks that lie on it; between pools the blocks at each
/// border on the way, of which the slowest counts.
GroupPath Groups::handingOn(int64_t from, int64_t to,
                            const std::vector<unsigned> &pools) const {
  auto [low, high] = std::minmax(
      {pools[static_cast<size_t>(from)], pools[static_cast<size_t>(to)]});
  int64_t block = blockSize();
  bool isInside = strideOf(PlanAxis::Pipeline) < block;
  if (topology.pools().size() == 1 || isInside)
    return of(PlanAxis::Pipeline, low);
  if (low == high) {
    int64_t ranks = std::count(pools.begin(), pools.end(), low);
    if (ranks < 2)
      return {};
    return topology.path(block, ranks, topology.pools()[low].begin,
                         ranks * block);
  }
  GroupPath slowest;
  for (unsigned pool = low + 1; pool <= high; ++pool) {
    int64_t last = topology.deviceCount() - 2 * block;
    int64_t begin = topology.pools()[pool].begin - block;
    begin = std::max<int64_t>(0, std::min(begin, last));
    GroupPath border = topology.path(block, 2, begin, 2 * block);
    if (isSlower(border, slowest))
      slowest = border;
  }
  return slowest;
}

GroupPath Groups::ofReplicas(int64_t apart, int64_t size, unsigned pool) const {
  bool dataInside = strideOf(PlanAxis::Data) < strideOf(PlanAxis::Context);
  PlanAxis inner = dataInside ? PlanAxis::Data : PlanAxis::Context;
  PlanAxis outer = dataInside ? PlanAxis::Context : PlanAxis::Data;
  int64_t innerSize = strategy.degree(inner);
  if (innerSize == 1)
    return spaced(strideOf(outer) * apart, size, pool);
  bool adjacent = strideOf(outer) == strideOf(inner) * innerSize;
  if (adjacent)
    return spaced(strideOf(inner) * apart, size, pool);
  // Other ranks lie between the two axes.
  if (apart >= innerSize)
    return spaced(strideOf(outer) * (apart / innerSize), size, pool);
  int64_t innerMembers = std::min(size, innerSize / apart);
  GroupPath path =
      product(spaced(strideOf(inner) * apart, innerMembers, pool),
              spaced(strideOf(outer), ceilDivide(size, innerMembers), pool));
  path.members = size;
  return path;
}

UnitPaths Groups::ofUnit(unsigned pool) const {
  return {of(PlanAxis::Tensor, pool), of(PlanAxis::Context, pool),
          ofReplicas(1, strategy.expert, pool)};
}

} // namespace shardsmith::check
