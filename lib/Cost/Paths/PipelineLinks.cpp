// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/PipelineLinks.h"

#include <algorithm>
#include <map>

namespace shardsmith {

namespace {

/// The slower one for what one rank sends to another.
bool isSlower(const GroupPath &a, const GroupPath &b) {
  if (a.levels.empty() || b.levels.empty())
    return b.levels.empty() && !a.levels.empty();
  const PathLevel &outer = a.levels.back(), &other = b.levels.back();
  if (outer.bytesPerSecond != other.bytesPerSecond)
    return outer.bytesPerSecond < other.bytesPerSecond;
  return outer.latencySeconds > other.latencySeconds;
}

/// The path between two neighbouring pools, from the last block of ranks before
/// their border to the first one behind it.
GroupPath acrossBorder(const ClusterTopology &topology, int64_t block,
                       unsigned second) {
  int64_t border = topology.pools()[second].begin;
  int64_t first = std::clamp<int64_t>(
      border - block, 0,
      std::max<int64_t>(0, topology.deviceCount() - 2 * block));
  return topology.path(block, 2, first, 2 * block);
}

/// The path between pipeline ranks on these two pools.
GroupPath between(const ClusterTopology &topology, const Strategy &outer,
                  unsigned from, unsigned to, std::span<const unsigned> pools) {
  AxisPaths axes(topology, outer);
  if (!axes.hasStagePerBlock())
    return axes.axis(PlanAxis::Pipeline, from);
  int64_t block = axes.blockRanks();
  if (from == to) {
    int64_t ranks = std::ranges::count(pools, from);
    if (ranks == 1)
      return {};
    return topology.path(block, ranks, topology.pools()[from].begin,
                         block * ranks);
  }
  // Pools in between have borders of their own.
  GroupPath slowest;
  for (unsigned pool = std::min(from, to); pool < std::max(from, to); ++pool) {
    GroupPath path = acrossBorder(topology, block, pool + 1);
    if (isSlower(path, slowest))
      slowest = path;
  }
  return slowest;
}

} // namespace

std::vector<unsigned> poolsOfRanks(const Strategy &strategy) {
  std::vector<unsigned> pools(size_t(strategy.pipeline), 0);
  for (size_t stage = 0; stage < strategy.stages.size(); ++stage)
    pools[size_t(pipelineRankOf(strategy.schedule, strategy.pipeline,
                                int64_t(stage)))] = strategy.stages[stage].pool;
  return pools;
}

PipelineLinks::PipelineLinks(const ClusterTopology &topology,
                             const Strategy &outer,
                             std::span<const unsigned> pools)
    : paths(size_t(outer.pipeline)) {
  std::map<std::pair<unsigned, unsigned>, const GroupPath *> byPools;
  int64_t count = outer.pipeline * outer.virtualStages;
  for (int64_t stage = 0; stage + 1 < count; ++stage) {
    auto rankOf = [&](int64_t each) {
      return size_t(pipelineRankOf(outer.schedule, outer.pipeline, each));
    };
    unsigned from = pools[rankOf(stage)], to = pools[rankOf(stage + 1)];
    auto [path, isNew] = byPools.try_emplace(std::minmax(from, to));
    if (isNew)
      path->second =
          &known.emplace_back(between(topology, outer, from, to, pools));
    stages.push_back(path->second);
    paths[rankOf(stage)].push_back(path->second);
  }
  for (const GroupPath &path : known)
    if (isSlower(path, slowestPath))
      slowestPath = path;
  std::map<std::pair<unsigned, std::vector<const GroupPath *>>, size_t> seen;
  for (size_t rank = 0; rank < paths.size(); ++rank)
    places.push_back(seen.try_emplace({pools[rank], paths[rank]}, seen.size())
                         .first->second);
}

} // namespace shardsmith
