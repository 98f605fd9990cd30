// SPDX-License-Identifier: Apache-2.0
//
// Time of one collective over one group. Algorithms (ring, tree, in-switch,
// hierarchical) compete; the fastest that the cluster allows is taken.
// Formulas and sources: docs/cost-model.md.

#ifndef SHARDSMITH_COST_COLLECTIVES_COLLECTIVETIMES_H
#define SHARDSMITH_COST_COLLECTIVES_COLLECTIVETIMES_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"

namespace shardsmith {

enum class CollectiveOp {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  SendReceive
};
inline constexpr size_t collectiveOps = 5;
std::string_view nameOf(CollectiveOp op);

struct CollectiveTime {
  Nanoseconds time;
  /// The algorithm that was fastest: `ring`, `tree`, `nvls`, `hierarchical`,
  /// `direct` or `measured`.
  std::string_view algorithm;
  Provenance provenance = Provenance::Datasheet;
};

class CollectiveTimes {
public:
  /// Both arguments must outlive this object.
  CollectiveTimes(const Cluster &cluster, const StackProfile &profile);

  /// `bytes` is the whole tensor of one group: what an all-reduce or
  /// reduce-scatter takes in per member, what an all-gather gives to each,
  /// what a member of an all-to-all takes in, the message of a send.
  CollectiveTime time(CollectiveOp op, const GroupPath &path,
                      Bytes bytes) const;

private:
  const Cluster *cluster;
  const StackProfile *stack;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_COLLECTIVES_COLLECTIVETIMES_H
