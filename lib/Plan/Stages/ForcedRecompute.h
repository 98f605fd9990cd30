// SPDX-License-Identifier: Apache-2.0
//
// How much recomputation the memory of some ranks enforces, whatever each of
// them holds: what parts of units would do if they could be recomputed.

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
  /// Of more segments nothing is known: it would take long to find out.
  static constexpr size_t mostSegments = 8;

  explicit ForcedRecompute(const PartitionProblem &problem);

  /// Beyond the fastest way of recomputing: time per micro-batch that the
  /// ranks add at least if they hold `counts` units, per segment; saturated if
  /// these do not fit. Nothing where ranks are of several kinds.
  Nanoseconds least(RankRange ranks, std::span<const int64_t> counts) const;
  bool isKnown() const { return !segments.empty(); }

private:
  /// Bytes that ranks without parameters may save, together and the one that
  /// may save least.
  struct Budget {
    double total = 0, least = 0;
  };
  Budget budgetOf(RankRange ranks) const;

  struct Segment {
    /// With the fastest choice.
    double saved;
    /// Of parameters and the like, as a share of the room of a rank.
    double held;
  };
  std::vector<Segment> segments;
  /// A choice instead of the one that is a little faster, cheapest first.
  struct Step {
    size_t segment;
    RecomputeStep perUnit;
  };
  std::vector<Step> steps;
  /// By rank; sums of those before it, and the least of those from it on and
  /// of those up to it.
  std::vector<double> budgets, sums, leastFrom, leastUpTo;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_FORCEDRECOMPUTE_H
