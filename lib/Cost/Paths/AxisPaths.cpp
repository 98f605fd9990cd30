// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <algorithm>

namespace shardsmith {

GroupPath nested(const GroupPath &inner, const GroupPath &outer) {
  if (inner.members == 1)
    return outer;
  GroupPath path = inner;
  path.members *= outer.members;
  for (const PathLevel &level : outer.levels) {
    PathLevel &last = path.levels.back();
    if (last.name != level.name || last.link != level.link) {
      path.levels.push_back(level);
      continue;
    }
    last.fanout *= level.fanout;
    last.latencySeconds = std::max(last.latencySeconds, level.latencySeconds);
    last.bytesPerSecond = std::min(last.bytesPerSecond, level.bytesPerSecond);
  }
  return path;
}

ReplicaAxes::ReplicaAxes(const Strategy &strategy)
    : near(PlanAxis::Context), far(PlanAxis::Data) {
  int64_t between = 1;
  bool isBehind = false;
  for (PlanAxis axis : strategy.deviceOrder) {
    if (axis == near)
      break;
    isBehind |= axis == far;
    between *= isBehind ? strategy.degree(axis) : 1;
  }
  if (between > 1)
    std::swap(near, far);
}

std::optional<PlanAxis> meshAxisOf(UnitAxis axis) {
  if (axis == UnitAxis::Expert)
    return std::nullopt;
  return axis == UnitAxis::Tensor ? PlanAxis::Tensor : PlanAxis::Context;
}

AxisPaths::AxisPaths(const ClusterTopology &topology, const Strategy &strategy)
    : topology(topology), strategy(strategy) {}

int64_t AxisPaths::stride(PlanAxis axis) const {
  int64_t ranks = 1;
  for (PlanAxis inner : strategy.deviceOrder) {
    if (inner == axis)
      break;
    ranks *= strategy.degree(inner);
  }
  return ranks;
}

int64_t AxisPaths::blocks() const {
  if (topology.pools().size() == 1)
    return 1;
  if (!strategy.dataShares.empty())
    return strategy.data;
  return hasStagePerBlock() ? strategy.pipeline : 1;
}

bool AxisPaths::hasStagePerBlock() const {
  return topology.pools().size() > 1 && strategy.dataShares.empty() &&
         stride(PlanAxis::Pipeline) * strategy.pipeline == strategy.rankCount();
}

int64_t AxisPaths::blockRanks() const {
  return strategy.rankCount() / blocks();
}

int64_t AxisPaths::blocksOn(unsigned pool) const {
  return topology.pools()[pool].count() / blockRanks();
}

GroupPath AxisPaths::groups(int64_t stride, int64_t size, unsigned pool) const {
  if (size == 1)
    return {};
  int64_t block = blockRanks();
  if (stride * size <= block)
    return topology.path(stride, size, topology.pools()[pool].begin,
                         std::max<int64_t>(1, usedBlocksOn(pool)) * block);
  if (strategy.dataShares.empty())
    return topology.path(stride, size, 0, stride * size);
  return acrossBlocks(stride, size, pool);
}

// Groups that reach over pools are slow for all members, so what counts are
// those that have a member on the pool:
//
//     pools     A A A A A│B B B B B B B      groups of four
//     on A      [      |        ]
//     on B             [        |        ]
GroupPath AxisPaths::acrossBlocks(int64_t stride, int64_t size,
                                  unsigned pool) const {
  std::vector<DeviceRange> ranges;
  int64_t ranks = 0, begin = 0, end = 0;
  for (unsigned each = 0; each < topology.pools().size(); ++each) {
    int64_t used = usedBlocksOn(each) * blockRanks();
    int64_t first = topology.pools()[each].begin;
    ranges.push_back({first, first + used});
    if (each == pool)
      begin = ranks;
    ranks += used;
    if (each == pool)
      end = ranks;
  }
  int64_t group = stride * size;
  end = std::min(ceilDivide(end, group), ranks / group) * group;
  begin = std::clamp<int64_t>(begin / group * group, 0,
                              std::max<int64_t>(0, end - group));
  return topology.path(stride, size, begin, std::max(end - begin, group),
                       ranges);
}

int64_t AxisPaths::usedBlocksOn(unsigned pool) const {
  if (strategy.dataShares.empty())
    return std::min(blocksOn(pool), blocks());
  int64_t used = 0;
  for (const DataShare &share : strategy.dataShares)
    if (share.pool == pool)
      used += share.ranks;
  return used;
}

GroupPath AxisPaths::axis(PlanAxis axis, unsigned pool) const {
  return groups(stride(axis), strategy.degree(axis), pool);
}

GroupPath AxisPaths::replicas(int64_t inner, int64_t size,
                              unsigned pool) const {
  auto [near, far] = ReplicaAxes(strategy);
  int64_t nearSize = strategy.degree(near);
  if (stride(far) == stride(near) * nearSize || nearSize == 1)
    return groups(nearSize == 1 ? stride(far) * inner : stride(near) * inner,
                  size, pool);
  if (inner >= nearSize)
    return groups(stride(far) * (inner / nearSize), size, pool);
  int64_t members = std::min(size, nearSize / inner);
  GroupPath path = nested(groups(stride(near) * inner, members, pool),
                          groups(stride(far), ceilDivide(size, members), pool));
  path.members = size;
  return path;
}

PerUnitAxis<GroupPath> AxisPaths::ofUnit(unsigned pool) const {
  return {axis(PlanAxis::Tensor, pool), axis(PlanAxis::Context, pool),
          replicas(1, strategy.expert, pool)};
}

} // namespace shardsmith
