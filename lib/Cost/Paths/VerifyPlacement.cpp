// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Cost/Paths/PipelineLinks.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith {

namespace {

/// The first pool that a stage or share names and the cluster does not have.
std::string unknownPool(size_t pools, const Strategy &strategy) {
  for (size_t stage = 0; stage < strategy.stages.size(); ++stage)
    if (unsigned pool = strategy.stages[stage].pool; pool >= pools)
      return fmt::format("stage {} is on pool {}, but the cluster has {} kinds "
                         "of device in a row",
                         stage, pool, pools);
  for (const DataShare &share : strategy.dataShares)
    if (share.pool >= pools)
      return fmt::format("data ranks are on pool {}, but the cluster has {} "
                         "kinds of device in a row",
                         share.pool, pools);
  return {};
}

} // namespace

std::string verifyPlacement(const ClusterTopology &topology,
                            const Strategy &strategy) {
  size_t pools = topology.pools().size();
  if (strategy.rankCount() > topology.deviceCount())
    return fmt::format("the plan has {} ranks, but the cluster has {} devices",
                       strategy.rankCount(), topology.deviceCount());
  if (std::string problem = unknownPool(pools, strategy); !problem.empty())
    return problem;
  if (pools == 1)
    return {};

  AxisPaths paths(topology, strategy);
  std::vector<int64_t> blocks(pools);
  std::string_view kind = "ranks";
  if (!strategy.dataShares.empty()) {
    kind = "data ranks";
    if (paths.stride(PlanAxis::Data) * strategy.data != strategy.rankCount())
      return "data ranks lie on several kinds of device, but another axis is "
             "the outermost one";
    for (const DataShare &share : strategy.dataShares)
      blocks[share.pool] += share.ranks;
  } else {
    for (unsigned pool : poolsOfRanks(strategy))
      ++blocks[pool];
    if (!paths.hasStagePerBlock()) {
      if (std::ranges::count(blocks, 0) + 1 < int64_t(pools))
        return "stages lie on several kinds of device, but the pipeline axis "
               "is not the outermost one";
      for (int64_t &each : blocks)
        each = std::min<int64_t>(each, 1);
    } else {
      kind = "pipeline ranks";
    }
  }
  for (unsigned pool = 0; pool < pools; ++pool)
    if (blocks[pool] > paths.blocksOn(pool))
      return fmt::format(
          "{} {} of {} devices each do not fit on the {} devices of pool {}",
          blocks[pool], kind, paths.blockRanks(),
          topology.pools()[pool].count(), pool);
  return {};
}

} // namespace shardsmith
