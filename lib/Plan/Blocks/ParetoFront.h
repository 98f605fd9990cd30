// SPDX-License-Identifier: Apache-2.0
//
// Cost vectors, and Pareto fronts of them: sets of which no member dominates
// another, each with the decisions that lead to it. `Sums` are the numbers that
// are added up: `PlainSums`, or those of IdleSums.h and PerKind.h.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_PARETOFRONT_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_PARETOFRONT_H

#include "Decisions.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>
#include <limits>
#include <span>

namespace shardsmith::blocks {

/// Adds `others` to `sums`; sums saturate.
inline void addUp(std::span<int64_t> sums, std::span<const int64_t> others) {
  for (size_t i = 0; i < sums.size(); ++i)
    if (__builtin_add_overflow(sums[i], others[i], &sums[i]))
      sums[i] = std::numeric_limits<int64_t>::max();
}

/// What layouts are compared by, see BlockTable.h, but for the transient:
/// times with no, selective and full recomputation; saved bytes with each;
/// dense, expert and partial parameters, a unit's own and those it shares.
struct PlainSums {
  static constexpr size_t count = 12;
  std::array<int64_t, count> values = {};

  /// Amounts of memory are in cells of the grid.
  PlainSums() = default;
  /// What only other ways of recomputing than `ways` need is 0.
  PlainSums(const UnitCosts &costs, const EpsilonGrid &grid,
            RecomputeWays ways);
  void setTimes(const UnitCosts &costs, RecomputeWays ways);

  void add(const PlainSums &other) { addUp(values, other.values); }
  /// Whether no number is larger than that of `other`.
  bool noWorseThan(const PlainSums &other) const {
    for (size_t i = 0; i < count; ++i)
      if (values[i] > other.values[i])
        return false;
    return true;
  }
  auto operator<=>(const PlainSums &) const = default;
};

/// The sums with the transient. Adding two adds the sums and takes the larger
/// transient.
template <typename Sums> struct CostVector {
  Sums sums;
  int64_t transient = 0;

  friend CostVector operator+(const CostVector &a, const CostVector &b) {
    CostVector sum = a;
    sum.sums.add(b.sums);
    sum.transient = std::max(a.transient, b.transient);
    return sum;
  }
  bool noWorseThan(const CostVector &other) const {
    return sums.noWorseThan(other.sums) && transient <= other.transient;
  }
  auto operator<=>(const CostVector &) const = default;
};

/// Points of which no one dominates another. Of equal points the first that was
/// offered stays.
template <typename Sums> class ParetoFront {
public:
  /// A cost and the decisions that lead to it.
  struct Point {
    CostVector<Sums> cost;
    DecisionPool::Index decisions = DecisionPool::nothing;
  };

  /// Adds the point unless a point of the front is no worse, and drops the
  /// points that are no better than it.
  void offer(const Point &point) {
    if (makeRoom(point.cost))
      points.push_back(point);
  }
  /// Offers the sums of every point of `a` with every point of `b`.
  /// `isEnough(comparisons)` is called now and then with the number of
  /// comparisons since the last call, and ends it by returning true.
  template <typename IsEnough>
  void offerSums(const ParetoFront &a, const ParetoFront &b, DecisionPool &pool,
                 IsEnough isEnough) {
    for (const Point &first : a) {
      for (const Point &second : b) {
        CostVector<Sums> cost = first.cost + second.cost;
        if (makeRoom(cost))
          points.push_back(
              {std::move(cost), pool.both(first.decisions, second.decisions)});
      }
      if (isEnough(int64_t(b.size() * points.size())))
        return;
    }
  }
  void offerSums(const ParetoFront &a, const ParetoFront &b,
                 DecisionPool &pool) {
    offerSums(a, b, pool, [](int64_t) { return false; });
  }
  /// Drops the points whose sums `isTooMuch` refuses.
  template <typename IsTooMuch> void trim(IsTooMuch isTooMuch) {
    std::erase_if(
        points, [&](const Point &point) { return isTooMuch(point.cost.sums); });
  }

  bool empty() const { return points.empty(); }
  size_t size() const { return points.size(); }
  auto begin() const { return points.begin(); }
  auto end() const { return points.end(); }

private:
  /// Returns true if no point of the front is no worse than `cost`; then the
  /// points that are no better are dropped.
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

/// Pareto fronts as the entries of a `TableSum` over a block.
template <typename Sums> class ParetoCosts {
public:
  using Entry = ParetoFront<Sums>;
  static constexpr bool countsMemory = true;

  static Entry nothing() {
    Entry front;
    front.offer({});
    return front;
  }
  static bool isPossible(const Entry &front) { return !front.empty(); }
  void offerPart(Entry &front, const Sums &sums, int64_t transient,
                 Decision decision) {
    front.offer({{sums, transient}, decisions.leaf(decision)});
  }

  DecisionPool decisions;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_PARETOFRONT_H
