// SPDX-License-Identifier: Apache-2.0
//
// Which links the groups of a strategy's axes talk over.
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

class AxisPaths {
public:
  /// All must outlive this. Of the strategy, `stages` and `layouts` are not
  /// read.
  AxisPaths(const ClusterTopology &topology, const Strategy &strategy);

  /// Groups of `axis` as the ranks on `pool` see them; for a pipeline over
  /// several pools see PipelineLinks.h.
  GroupPath axis(PlanAxis axis, unsigned pool) const;
  /// Groups among the data × context ranks: `size` members that are `inner`
  /// places apart, counted along whichever of the two axes is further inside.
  GroupPath replicas(int64_t inner, int64_t size, unsigned pool) const;

  /// Ranks of one block (see above); blocks that a pool has room for.
  int64_t blockRanks() const;
  int64_t blocksOn(unsigned pool) const;
  /// Whether every pipeline rank is a block, so that several pools may have
  /// some.
  bool hasStagePerBlock() const;

  /// How many ranks neighbours along the axis are apart.
  int64_t stride(PlanAxis axis) const;

private:
  /// Of the plan; of those as many as may be on a pool.
  int64_t blocks() const;
  int64_t usedBlocksOn(unsigned pool) const;
  GroupPath groups(int64_t stride, int64_t size, unsigned pool) const;
  /// Of data ranks, which lie on the first blocks of several pools.
  GroupPath acrossBlocks(int64_t stride, int64_t size, unsigned pool) const;

  const ClusterTopology &topology;
  const Strategy &strategy;
};

/// Empty if the cluster has the devices that the plan needs, of the kinds that
/// its stages and data shares name, else the first thing that is wrong. The
/// strategy is one that `verify` accepts.
std::string verifyPlacement(const ClusterTopology &topology,
                            const Strategy &strategy);

/// The groups of `outer`, each member of which is a group of `inner`.
GroupPath nested(const GroupPath &inner, const GroupPath &outer);

} // namespace shardsmith

#endif // SHARDSMITH_COST_PATHS_AXISPATHS_H
