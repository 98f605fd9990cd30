// SPDX-License-Identifier: Apache-2.0
//
// Cost vectors, and sets of those of which none is better than another, with
// the decisions that lead to each. `Sums` holds the numbers that add up: an
// array that is large enough for the comparison, or a vector.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H

#include "Comparison.h"
#include "Decisions.h"

#include <algorithm>
#include <limits>

namespace shardsmith::blocks {

/// What layouts are compared by, see Comparison.h. Sums up, but for the
/// transient, of which the largest counts.
template <typename Sums> struct CostVector {
  Sums sums = {};
  int64_t transient = 0;

  friend CostVector operator+(const CostVector &a, const CostVector &b) {
    CostVector sum = a;
    for (size_t i = 0; i < sum.sums.size(); ++i)
      if (__builtin_add_overflow(a.sums[i], b.sums[i], &sum.sums[i]))
        sum.sums[i] = std::numeric_limits<int64_t>::max();
    sum.transient = std::max(a.transient, b.transient);
    return sum;
  }
  /// No component is larger.
  bool noWorseThan(const CostVector &other) const {
    for (size_t i = 0; i < sums.size(); ++i)
      if (sums[i] > other.sums[i])
        return false;
    return transient <= other.transient;
  }
  auto operator<=>(const CostVector &) const = default;
};

/// Points of which none is better than another; of equal ones the first that
/// was offered.
template <typename Sums> class Front {
public:
  /// A cost and the decisions that lead to it.
  struct Point {
    CostVector<Sums> cost;
    DecisionPool::Index decisions = DecisionPool::nothing;
  };

  /// Keeps the point unless one that is there is no worse, and drops those
  /// that are no better than it.
  void offer(const Point &point) {
    if (makeRoom(point.cost))
      points.push_back(point);
  }
  /// Offers all sums of a point of each.
  void offerSums(const Front &a, const Front &b, DecisionPool &pool) {
    for (const Point &first : a)
      for (const Point &second : b) {
        CostVector<Sums> cost = first.cost + second.cost;
        if (makeRoom(cost))
          points.push_back(
              {cost, pool.both(first.decisions, second.decisions)});
      }
  }

  bool empty() const { return points.empty(); }
  size_t size() const { return points.size(); }
  auto begin() const { return points.begin(); }
  auto end() const { return points.end(); }

private:
  /// True if no point is no worse; those that are no better are gone then.
  bool makeRoom(const CostVector<Sums> &cost) {
    for (const Point &point : points)
      if (point.cost.noWorseThan(cost))
        return false;
    std::erase_if(points, [&](const Point &point) {
      return cost.noWorseThan(point.cost);
    });
    return true;
  }

  std::vector<Point> points;
};

/// Fronts as the entries of a `TableSum` over a block.
template <typename Sums> class FrontCosts {
public:
  using Entry = Front<Sums>;
  static constexpr bool countsMemory = true;

  explicit FrontCosts(const Comparison &comparison) : comparison(comparison) {}

  Entry nothing() const {
    Entry front;
    front.offer({zero()});
    return front;
  }
  static bool isPossible(const Entry &front) { return !front.empty(); }
  /// Of a part of a layout, before `UnitCostModel::finish`.
  void offer(Entry &front, std::span<const UnitCosts> prices,
             Decision decision) {
    CostVector<Sums> cost = zero();
    comparison.set(cost.sums, prices);
    cost.transient = comparison.transient(prices.front());
    front.offer({cost, decisions.leaf(decision)});
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    best.offerSums(a, b, decisions);
  }

  DecisionPool decisions;

private:
  CostVector<Sums> zero() const {
    CostVector<Sums> cost;
    if constexpr (requires { cost.sums.resize(size_t()); })
      cost.sums.resize(comparison.size());
    return cost;
  }

  const Comparison &comparison;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
