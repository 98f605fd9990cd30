// SPDX-License-Identifier: Apache-2.0
//
// Cost vectors, and sets of those of which none is better than another. Every
// point remembers of which points it is the sum, so that the decisions behind
// it can be read off at the end.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H

#include "shardsmith/Cost/UnitCosts.h"

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

  /// `selective` and `full` of a sum that `UnitCostModel::finish` has not seen
  /// are taken from the forward pass.
  static CostVector ofSum(const UnitCosts &costs);
  static CostVector ofFinished(const UnitCosts &costs);

  friend CostVector operator+(const CostVector &a, const CostVector &b);
  /// No component is larger.
  bool noWorseThan(const CostVector &other) const;
  auto operator<=>(const CostVector &) const = default;
};

using PointIndex = uint32_t;

/// One decision: what it is about, and what was chosen.
struct Decision {
  uint32_t topic;
  uint32_t value;
};

/// Owns all points of one table's construction.
class PointPool {
public:
  /// Costs nothing and decides nothing.
  static constexpr PointIndex zero = 0;

  PointPool();
  PointIndex leaf(const CostVector &cost, Decision decision);
  PointIndex sum(PointIndex a, PointIndex b);

  const CostVector &cost(PointIndex point) const { return points[point].cost; }
  /// The decisions that add up to the point, in no particular order.
  void decisions(PointIndex point,
                 const std::function<void(Decision)> &visit) const;

private:
  struct Point {
    CostVector cost;
    enum { Zero, Leaf, Sum } kind;
    /// Of a sum the summands, of a leaf topic and value.
    uint32_t first, second;
  };
  std::vector<Point> points;
};

using Front = std::vector<PointIndex>;

/// Leaves only points that none of the others is better than; of equal ones
/// the first. Sorted by cost.
void prune(Front &front, const PointPool &pool);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FRONT_H
