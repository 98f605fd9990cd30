// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Paths/GroupMembers.h"

#include <algorithm>

namespace shardsmith {

GroupMembers::GroupMembers(const Strategy &strategy)
    : strategy(strategy), strides{}, replicaAxes(strategy) {
  int64_t ranks = 1;
  for (PlanAxis each : strategy.deviceOrder) {
    strides[size_t(each)] = ranks;
    ranks *= strategy.degree(each);
  }
}

int64_t GroupMembers::place(int64_t rank, PlanAxis axis) const {
  return rank / stride(axis) % strategy.degree(axis);
}

int64_t GroupMembers::moved(int64_t rank, PlanAxis axis, int64_t place) const {
  return rank + (place - this->place(rank, axis)) * stride(axis);
}

std::vector<int64_t> GroupMembers::axis(int64_t rank, PlanAxis axis) const {
  std::vector<int64_t> ranks;
  for (int64_t other = 0; other < strategy.degree(axis); ++other)
    ranks.push_back(moved(rank, axis, other));
  return ranks;
}

// Replicas are counted along the nearer axis first.
std::vector<int64_t> GroupMembers::replicas(int64_t rank, int64_t inner,
                                            int64_t size) const {
  auto [near, far] = replicaAxes;
  int64_t nearSize = strategy.degree(near);
  int64_t replica = place(rank, near) + place(rank, far) * nearSize;
  int64_t first = replica - replica / inner % size * inner;
  std::vector<int64_t> ranks;
  for (int64_t member = 0; member < size; ++member) {
    int64_t other = first + member * inner;
    ranks.push_back(
        moved(moved(rank, near, other % nearSize), far, other / nearSize));
  }
  return ranks;
}

std::vector<int64_t> GroupMembers::ofUnit(int64_t rank, UnitAxis axis) const {
  if (std::optional<PlanAxis> ofMesh = meshAxisOf(axis))
    return this->axis(rank, *ofMesh);
  return replicas(rank, 1, strategy.expert);
}

} // namespace shardsmith
