// SPDX-License-Identifier: Apache-2.0
//
// Cost vectors, and sets of those of which none is better than another, with
// the decisions that lead to each.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H

#include "Decisions.h"

#include "shardsmith/Plan/BlockTable.h"

namespace shardsmith::blocks {

/// What layouts are compared by; see BlockTable.h. Sums up, but for the
/// transient, of which the largest counts.
struct CostVector {
  static constexpr size_t summed = 9;
  /// Times with no, selective and full recomputation; saved bytes with each;
  /// dense, expert and partial parameters.
  std::array<int64_t, summed> sums = {};
  int64_t transient = 0;

  /// Of a part of a layout, before `UnitCostModel::finish`. Amounts of memory
  /// are rounded to whole grains.
  static CostVector ofPart(const UnitCosts &costs, const Grains &grains);
  /// The same memory with the times of a layout that is finished.
  CostVector withTimesOf(const UnitCosts &finished) const;

  friend CostVector operator+(const CostVector &a, const CostVector &b);
  /// No component is larger.
  bool noWorseThan(const CostVector &other) const;
  auto operator<=>(const CostVector &) const = default;
};

/// A cost and the decisions that lead to it.
struct Point {
  CostVector cost;
  DecisionPool::Index decisions = DecisionPool::nothing;
};

/// Points of which none is better than another; of equal ones the first that
/// was offered.
class Front {
public:
  /// Keeps the point unless one that is there is no worse, and drops those
  /// that are no better than it.
  void offer(const Point &point);
  /// Offers all sums of a point of each.
  void offerSums(const Front &a, const Front &b, DecisionPool &pool);

  bool empty() const { return points.empty(); }
  size_t size() const { return points.size(); }
  auto begin() const { return points.begin(); }
  auto end() const { return points.end(); }

private:
  /// True if no point is no worse; those that are no better are gone then.
  bool makeRoom(const CostVector &cost);

  std::vector<Point> points;
};

/// Fronts as the entries of a `TableSum` over a block.
class FrontCosts {
public:
  using Entry = Front;
  static constexpr bool countsMemory = true;

  explicit FrontCosts(const UnitCostModel &model) : grains(model) {}

  static Front nothing();
  static bool isPossible(const Front &front) { return !front.empty(); }
  void offer(Front &front, const UnitCosts &costs, Decision decision);
  void addSums(Front &best, const Front &a, const Front &b) {
    best.offerSums(a, b, decisions);
  }

  DecisionPool decisions;

private:
  Grains grains;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
