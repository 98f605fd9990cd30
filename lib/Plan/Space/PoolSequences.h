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

/// The search looks at all sequences if there are at most so many. Beyond that
/// it looks only at sequences whose ranks lie on neighbouring devices.
inline constexpr size_t everySequenceUpTo = 2048;
/// The search looks at every order in which pools are filled with replicas if
/// there are at most so many pools.
inline constexpr size_t everyWayUpTo = 6;

/// Every sequence gives per pipeline rank the pool that the rank lies on.
using PoolSequences = std::vector<std::vector<unsigned>>;

/// All sequences in which the ranks on one pool are neighbours and the pool has
/// devices enough for them. If another axis than the pipeline is outermost, all
/// ranks lie on one pool. The stages, layouts and data shares of `outer` are
/// not read.
PoolSequences poolSequences(const ClusterTopology &topology,
                            const Strategy &outer);

/// How many replicas lie on each pool, one vector per way. `outer` has the data
/// axis outermost. A way fills pools one after another, in some order, until
/// every replica has a place; ways that need a single pool are left out.
std::vector<std::vector<int64_t>>
replicaPlacements(const ClusterTopology &topology, const Strategy &outer);
/// Data shares for so many replicas on each pool, where every replica takes the
/// same number of micro-batches.
std::vector<DataShare> evenShares(const std::vector<int64_t> &ranksOnPools,
                                  int64_t microBatches);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_POOLSEQUENCES_H
