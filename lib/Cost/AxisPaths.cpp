// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/AxisPaths.h"

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
  return strategy.degree(strategy.microBatchesOfDataRank.empty()
                             ? PlanAxis::Pipeline
                             : PlanAxis::Data);
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
  if (stride * size > block)
    return topology.path(stride, size, 0, stride * size);
  int64_t used = std::clamp<int64_t>(blocksOn(pool), 1, blocks());
  return topology.path(stride, size, topology.pools()[pool].begin,
                       used * block);
}

GroupPath AxisPaths::axis(PlanAxis axis, unsigned pool) const {
  return groups(stride(axis), strategy.degree(axis), pool);
}

GroupPath AxisPaths::replicas(int64_t inner, int64_t size,
                              unsigned pool) const {
  PlanAxis near = PlanAxis::Context, far = PlanAxis::Data;
  if (stride(far) < stride(near))
    std::swap(near, far);
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

} // namespace shardsmith
