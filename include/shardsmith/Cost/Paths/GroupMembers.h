// SPDX-License-Identifier: Apache-2.0
//
// Which ranks the groups consist of whose paths `AxisPaths` gives.

#ifndef SHARDSMITH_COST_PATHS_GROUPMEMBERS_H
#define SHARDSMITH_COST_PATHS_GROUPMEMBERS_H

#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <vector>

namespace shardsmith {

class GroupMembers {
public:
  /// The strategy must outlive this; its stages and layouts are not read.
  explicit GroupMembers(const Strategy &strategy);

  /// The place of a rank along the axis.
  int64_t place(int64_t rank, PlanAxis axis) const;
  /// The rank at another place along the axis.
  int64_t moved(int64_t rank, PlanAxis axis, int64_t place) const;

  /// The group of the rank, ascending in the order of the axis.
  std::vector<int64_t> axis(int64_t rank, PlanAxis axis) const;
  /// The group of `AxisPaths::replicas` that the rank is in.
  std::vector<int64_t> replicas(int64_t rank, int64_t inner,
                                int64_t size) const;
  /// The group over which ops of a unit exchange along the axis.
  std::vector<int64_t> ofUnit(int64_t rank, UnitAxis axis) const;

private:
  int64_t stride(PlanAxis axis) const { return strides[size_t(axis)]; }

  const Strategy &strategy;
  std::array<int64_t, planAxes> strides;
  ReplicaAxes replicaAxes;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_PATHS_GROUPMEMBERS_H
