// SPDX-License-Identifier: Apache-2.0
//
// Cost vectors, and sets of those of which none is better than another, with
// the decisions that lead to each.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H

#include "shardsmith/Plan/BlockTable.h"

#include <functional>

namespace shardsmith::blocks {

/// What layouts are compared by; see BlockTable.h. Sums up, but for the
/// transient, of which the largest counts.
struct CostVector {
  static constexpr size_t summed = 9;
  /// Times with no, selective and full recomputation; saved bytes with each;
  /// dense, expert and partial parameters.
  std::array<int64_t, summed> sums = {};
  int64_t transient = 0;

  /// Of a part of a layout, before `UnitCostModel::finish`: what selective and
  /// full recomputation add is taken from the forward pass. Amounts of memory
  /// are rounded to whole grains.
  static CostVector ofPart(const UnitCosts &costs, const Grains &grains);
  /// The same memory with the times of a layout that is finished.
  CostVector withTimesOf(const UnitCosts &finished) const;

  friend CostVector operator+(const CostVector &a, const CostVector &b);
  /// No component is larger.
  bool noWorseThan(const CostVector &other) const;
  auto operator<=>(const CostVector &) const = default;
};

/// One decision: what it is about, and what was chosen.
struct Decision {
  uint32_t topic;
  uint32_t value;
};

/// Sets of decisions, each a leaf or the union of two others.
class DecisionPool {
public:
  using Index = uint32_t;
  /// Decides nothing.
  static constexpr Index nothing = 0;

  DecisionPool() : nodes(1) {}
  Index leaf(Decision decision);
  Index both(Index a, Index b);
  /// In no particular order.
  void visit(Index index, const std::function<void(Decision)> &visitor) const;

private:
  struct Node {
    enum { Nothing, Leaf, Union } kind = Nothing;
    /// Of a leaf topic and value.
    uint32_t first = 0, second = 0;
  };
  std::vector<Node> nodes;
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

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
