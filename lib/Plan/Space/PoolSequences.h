// SPDX-License-Identifier: Apache-2.0
//
// Which kinds of device the ranks of a plan lie on, where a cluster has several
// (docs/planner.md, section 1). Of two pools A and B with room for two and for
// three blocks of ranks:
//
//     three pipeline ranks    A A B   A B B   B B B   B B A   B A A
//     four data ranks         two on A and two on B, or one on A, three on B

#ifndef SHARDSMITH_LIB_PLAN_SPACE_POOLSEQUENCES_H
#define SHARDSMITH_LIB_PLAN_SPACE_POOLSEQUENCES_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::search {

/// If there are more sequences, only those on neighbouring devices are looked
/// at.
inline constexpr size_t everySequenceUpTo = 2048;
/// The same of pools that data ranks may lie on.
inline constexpr size_t everyWayUpTo = 6;

/// Per pipeline rank the pool that it lies on.
using PoolSequences = std::vector<std::vector<unsigned>>;

/// All sequences in which the ranks on a pool are neighbours, and have room
/// there; if the pipeline axis is not the outermost one, all ranks lie on one
/// pool. Of `outer`, stages, layouts and shares are not read.
PoolSequences poolSequences(const ClusterTopology &topology,
                            const Strategy &outer);

/// How many of the data ranks of a strategy that has the data axis outermost
/// may lie on each pool: the ways to fill pools one after another, in any
/// order, until all have a place, if that takes more than one.
std::vector<std::vector<int64_t>>
replicaPlacements(const ClusterTopology &topology, const Strategy &outer);
/// Data ranks on these pools that do the same each.
std::vector<DataShare> evenShares(const std::vector<int64_t> &ranksOnPools,
                                  int64_t microBatches);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_POOLSEQUENCES_H
