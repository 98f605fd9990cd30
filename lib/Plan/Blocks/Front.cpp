// SPDX-License-Identifier: Apache-2.0

#include "Front.h"

#include <algorithm>

namespace shardsmith::blocks {

namespace {

/// Forward and backward, with each way of recomputing.
std::array<int64_t, recomputeChoices> timesOf(const UnitCosts &costs) {
  std::array<int64_t, recomputeChoices> times;
  for (int choice = 0; choice < recomputeChoices; ++choice)
    times[choice] = (costs.forward + costs.forwardCommunication.total() +
                     costs.backward(Recompute(choice)))
                        .count();
  return times;
}

} // namespace

CostVector CostVector::ofPart(const UnitCosts &costs, const Grains &grains) {
  auto times = timesOf(costs);
  CostVector vector;
  vector.sums = {times[0],
                 times[1],
                 times[2],
                 grains.ofBytes(costs.saved[0]),
                 grains.ofBytes(costs.saved[1]),
                 grains.ofBytes(costs.saved[2]),
                 grains.ofParameters(costs.denseParameters),
                 grains.ofParameters(costs.expertParameters),
                 grains.ofParameters(costs.partialParameters)};
  vector.transient = grains.ofBytes(costs.transient);
  return vector;
}

CostVector CostVector::withTimesOf(const UnitCosts &finished) const {
  CostVector vector = *this;
  std::ranges::copy(timesOf(finished), vector.sums.begin());
  return vector;
}

CostVector operator+(const CostVector &a, const CostVector &b) {
  CostVector sum;
  for (size_t i = 0; i < CostVector::summed; ++i)
    if (__builtin_add_overflow(a.sums[i], b.sums[i], &sum.sums[i]))
      sum.sums[i] = std::numeric_limits<int64_t>::max();
  sum.transient = std::max(a.transient, b.transient);
  return sum;
}

bool CostVector::noWorseThan(const CostVector &other) const {
  for (size_t i = 0; i < summed; ++i)
    if (sums[i] > other.sums[i])
      return false;
  return transient <= other.transient;
}

bool Front::makeRoom(const CostVector &cost) {
  for (const Point &point : points)
    if (point.cost.noWorseThan(cost))
      return false;
  std::erase_if(
      points, [&](const Point &point) { return cost.noWorseThan(point.cost); });
  return true;
}

void Front::offer(const Point &point) {
  if (makeRoom(point.cost))
    points.push_back(point);
}

void Front::offerSums(const Front &a, const Front &b, DecisionPool &pool) {
  for (const Point &first : a)
    for (const Point &second : b) {
      CostVector cost = first.cost + second.cost;
      if (makeRoom(cost))
        points.push_back({cost, pool.both(first.decisions, second.decisions)});
    }
}

Front FrontCosts::nothing() {
  Front front;
  front.offer({});
  return front;
}

void FrontCosts::offer(Front &front, const UnitCosts &costs,
                       Decision decision) {
  front.offer({CostVector::ofPart(costs, grains), decisions.leaf(decision)});
}

} // namespace shardsmith::blocks
