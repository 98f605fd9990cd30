// SPDX-License-Identifier: Apache-2.0

#include "Groups.h"

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
  if (strategy.microBatchesOfDataRank.empty())
    return strategy.rankCount() / strategy.pipeline;
  return strategy.rankCount() / strategy.data;
}

int64_t Groups::blocksOn(unsigned pool) const {
  return topology.pools()[pool].count() / blockSize();
}

GroupPath Groups::spaced(int64_t stride, int64_t size, unsigned pool) const {
  if (size == 1)
    return {};
  // Groups that span blocks are looked at from the first device on.
  if (stride * size > blockSize())
    return topology.path(stride, size, 0, stride * size);
  int64_t blocks =
      topology.pools().size() == 1 ? 1 : std::max<int64_t>(1, blocksOn(pool));
  return topology.path(stride, size, topology.pools()[pool].begin,
                       blocks * blockSize());
}

GroupPath Groups::of(PlanAxis axis, unsigned pool) const {
  return spaced(strideOf(axis), strategy.degree(axis), pool);
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

} // namespace shardsmith::check
