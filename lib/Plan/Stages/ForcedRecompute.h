// SPDX-License-Identifier: Apache-2.0
//
// How much recomputation the memory of some ranks enforces, whichever of the
// units each of them holds. The bound belongs to the relaxation in which parts
// of units may be recomputed, cheapest bytes first.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_FORCEDRECOMPUTE_H
#define SHARDSMITH_LIB_PLAN_STAGES_FORCEDRECOMPUTE_H

#include "StagePartition.h"

#include <span>
#include <vector>

namespace shardsmith::search {

/// Pipeline ranks from `begin` up to `end`.
struct RankRange {
  int64_t begin = 0, end = 0;
};

class ForcedRecompute {
public:
  /// Chains with more segments have no bound: it would take too long to
  /// compute.
  static constexpr size_t mostSegments = 8;

  explicit ForcedRecompute(const PartitionProblem &problem);

  /// The least time per micro-batch that these ranks recompute, beyond the
  /// fastest way of recomputing, if together they hold `counts[segment]` units.
  /// It is saturated if the units do not fit, and 0 if ranks lie on several
  /// device kinds.
  Nanoseconds least(RankRange ranks, std::span<const int64_t> counts) const;
  bool isKnown() const { return !segments.empty(); }

private:
  /// Saved bytes for which ranks without parameters have room: all together,
  /// and the rank with the least room.
  struct Budget {
    double total = 0, least = 0;
  };
  Budget budgetOf(RankRange ranks) const;

  struct Segment {
    /// Saved bytes of a unit with the fastest choice.
    double saved;
    /// What parameters and the like of a unit take, as a share of the room of a
    /// rank.
    double held;
  };
  std::vector<Segment> segments;
  /// Steps from a choice to the next slower one for the units of a segment,
  /// cheapest bytes first.
  struct Step {
    size_t segment;
    RecomputeStep perUnit;
  };
  std::vector<Step> steps;
  /// Per rank: its budget, the sum of the budgets before it, the least budget
  /// from it on, and the least budget up to it.
  std::vector<double> budgets, sums, leastFrom, leastUpTo;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_FORCEDRECOMPUTE_H
