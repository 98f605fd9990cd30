// SPDX-License-Identifier: Apache-2.0

#include "Front.h"

#include <algorithm>

namespace shardsmith::blocks {

namespace {

CostVector vectorOf(const UnitCosts &costs, Nanoseconds selective,
                    Nanoseconds full) {
  Nanoseconds time = costs.forward + costs.forwardCommunication.total() +
                     costs.backward(Recompute::None);
  CostVector vector;
  vector.sums = {time.count(),           (time + selective).count(),
                 (time + full).count(),  costs.saved[0].count(),
                 costs.saved[1].count(), costs.saved[2].count(),
                 costs.denseParameters,  costs.expertParameters,
                 costs.partialParameters};
  vector.transient = costs.transient.count();
  return vector;
}

} // namespace

CostVector CostVector::ofSum(const UnitCosts &costs) {
  return vectorOf(costs, costs.recompute[size_t(Recompute::Selective)],
                  costs.forward + costs.forwardCommunication.total());
}

CostVector CostVector::ofFinished(const UnitCosts &costs) {
  return vectorOf(costs, costs.recompute[size_t(Recompute::Selective)],
                  costs.recompute[size_t(Recompute::Full)]);
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

PointPool::PointPool() { points.push_back({{}, Point::Zero, 0, 0}); }

PointIndex PointPool::leaf(const CostVector &cost, Decision decision) {
  points.push_back({cost, Point::Leaf, decision.topic, decision.value});
  return PointIndex(points.size() - 1);
}

PointIndex PointPool::sum(PointIndex a, PointIndex b) {
  if (a == zero)
    return b;
  if (b == zero)
    return a;
  points.push_back({points[a].cost + points[b].cost, Point::Sum, a, b});
  return PointIndex(points.size() - 1);
}

void PointPool::decisions(PointIndex index,
                          const std::function<void(Decision)> &visit) const {
  const Point &point = points[index];
  if (point.kind == Point::Leaf)
    visit({point.first, point.second});
  if (point.kind != Point::Sum)
    return;
  decisions(point.first, visit);
  decisions(point.second, visit);
}

void prune(Front &front, const PointPool &pool) {
  if (front.size() < 2)
    return;
  // A point that is no worse than another one comes before it.
  std::ranges::sort(front, [&](PointIndex a, PointIndex b) {
    auto order = pool.cost(a) <=> pool.cost(b);
    return order == 0 ? a < b : order < 0;
  });
  size_t kept = 0;
  for (PointIndex point : front) {
    const CostVector &cost = pool.cost(point);
    bool isDominated =
        std::any_of(front.begin(), front.begin() + kept, [&](PointIndex other) {
          return pool.cost(other).noWorseThan(cost);
        });
    if (!isDominated)
      front[kept++] = point;
  }
  front.resize(kept);
}

} // namespace shardsmith::blocks
