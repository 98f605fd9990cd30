// SPDX-License-Identifier: Apache-2.0
//
// Over which links the groups of the axes of a strategy talk.
//
// Ranks are numbered along `deviceOrder`, the first axis fastest, and sit on
// the cluster's devices in that order. Where pools differ, no block of ranks
// that works in step lies on two of them:
//
//     pipeline outermost          pools: A A A A A│B B B     block = 2 ranks
//     (a stage per block)                s0  s1  –│ s2  –    – is unused
//     data shares                 data outermost; a data rank per block
//
// All ranks are one block if another axis than the pipeline is outermost.

#ifndef SHARDSMITH_COST_PATHS_AXISPATHS_H
#define SHARDSMITH_COST_PATHS_AXISPATHS_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith {

/// The two axes along which ranks hold equal parameters, neighbours first:
/// replicas are counted along the inner one first.
struct ReplicaAxes {
  PlanAxis near, far;

  explicit ReplicaAxes(const Strategy &strategy);
};

/// The axis of the mesh over which ops of a unit exchange; nothing for experts,
/// who are a part of the replicas.
std::optional<PlanAxis> meshAxisOf(UnitAxis axis);

class AxisPaths {
public:
  /// Both arguments must outlive this object. The stages and layouts of the
  /// strategy are not read.
  AxisPaths(const ClusterTopology &topology, const Strategy &strategy);

  /// The path of the groups of `axis` as the ranks on `pool` see them. A
  /// pipeline over several pools has several paths (PipelineLinks.h).
  GroupPath axis(PlanAxis axis, unsigned pool) const;
  /// The path of groups among the data × context ranks: each group has `size`
  /// members that are `inner` places apart, counted along the inner one of the
  /// two axes.
  GroupPath replicas(int64_t inner, int64_t size, unsigned pool) const;

  /// The paths of the groups over which the ops of a unit exchange.
  PerUnitAxis<GroupPath> ofUnit(unsigned pool) const;

  /// The number of ranks of one block (see above), and of blocks for which a
  /// pool has room.
  int64_t blockRanks() const;
  int64_t blocksOn(unsigned pool) const;
  /// Whether every pipeline rank is a block, so that pipeline ranks may lie on
  /// several pools.
  bool hasStagePerBlock() const;

  /// The distance in ranks between neighbours along the axis.
  int64_t stride(PlanAxis axis) const;

private:
  /// The number of blocks of the plan, and how many of them may lie on a pool.
  int64_t blocks() const;
  int64_t usedBlocksOn(unsigned pool) const;
  GroupPath groups(int64_t stride, int64_t size, unsigned pool) const;
  /// The path of groups of data ranks that lie on the first blocks of several
  /// pools.
  GroupPath acrossBlocks(int64_t stride, int64_t size, unsigned pool) const;

  const ClusterTopology &topology;
  const Strategy &strategy;
};

/// Checks that the cluster has the devices that the plan needs, of the kinds
/// that its stages and data shares name. Returns the first thing that is wrong,
/// or an empty text. `Strategy::verify` must accept the strategy.
std::string verifyPlacement(const ClusterTopology &topology,
                            const Strategy &strategy);

/// The path of the groups of `outer` if each of their members is a group of
/// `inner`.
GroupPath nested(const GroupPath &inner, const GroupPath &outer);

} // namespace shardsmith

#endif // SHARDSMITH_COST_PATHS_AXISPATHS_H
