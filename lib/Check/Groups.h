// SPDX-License-Identifier: Apache-2.0
//
// Who talks to whom. Ranks are numbered along the plan's device order, first
// axis fastest, and sit on the usable devices in that order. Where a cluster
// has several kinds of devices, ranks that work in step stay on one kind: one
// stage each if the pipeline axis is outermost, one data rank each if data
// ranks have shares of their own; these are on the first devices of a kind.

#ifndef SHARDSMITH_LIB_CHECK_GROUPS_H
#define SHARDSMITH_LIB_CHECK_GROUPS_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Strategy/Strategy.h"

namespace shardsmith::check {

/// The groups over which the ops of a unit exchange.
using UnitPaths = PerUnitAxis<GroupPath>;

class Groups {
public:
  /// Both must outlive this.
  Groups(const ClusterTopology &topology, const Strategy &strategy)
      : topology(topology), strategy(strategy) {}

  /// The groups of one axis on devices of `pool`.
  GroupPath of(PlanAxis axis, unsigned pool) const;
  /// `size` of the data × context ranks, `apart` places from each other,
  /// counted along the inner one of the two axes first.
  GroupPath ofReplicas(int64_t apart, int64_t size, unsigned pool) const;

  UnitPaths ofUnit(unsigned pool) const;

  /// From a pipeline rank to that of the next stage. `pools`: of each pipeline
  /// rank; those of one pool are neighbours.
  GroupPath handingOn(int64_t from, int64_t to,
                      const std::vector<unsigned> &pools) const;

  /// Whether one of the paths is the slower one between two of its members.
  static bool isSlower(const GroupPath &one, const GroupPath &other);

  /// Ranks that stay on one kind of device, and how many such blocks a pool
  /// holds.
  int64_t blockSize() const;
  int64_t blocksOn(unsigned pool) const;
  /// Where data ranks have shares.
  int64_t dataRanksOn(unsigned pool) const;

private:
  int64_t strideOf(PlanAxis axis) const;
  GroupPath spaced(int64_t stride, int64_t size, unsigned pool) const;
  GroupPath ofShares(int64_t stride, int64_t size, unsigned pool) const;
  GroupPath inBlocks(int64_t stride, int64_t size, unsigned pool,
                     int64_t blocks) const;

  const ClusterTopology &topology;
  const Strategy &strategy;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_GROUPS_H
