// SPDX-License-Identifier: Apache-2.0
//
// The recomputation mix of a rank: how many of its units keep everything,
// recompute attention, or recompute all. The cheapest mix that fits is a
// knapsack with three treatments per kind of unit; what a unit needs while it
// runs counts once per rank.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H
#define SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H

#include "shardsmith/Cost/Step/StepModel.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace shardsmith::search {

using RecomputeMask = std::array<bool, recomputeChoices>;
/// The number of units with each choice.
using RecomputeCounts = std::array<int64_t, recomputeChoices>;

/// The fastest way of recomputing that is allowed; of equally fast ways the one
/// that saves fewest bytes. At least one must be allowed.
Recompute fastestChoice(const UnitCosts &unit, RecomputeMask allowed);

/// Equal units of one rank.
struct UnitGroup {
  const UnitCosts *unit = nullptr;
  int64_t count = 0;
};

struct RecomputeMix {
  /// The time that the mix adds to a micro-batch.
  Nanoseconds time;
  Bytes saved, transient;
  /// The number of units with each choice, per group.
  std::vector<RecomputeCounts> counts;
};

/// The most bytes that may be saved per micro-batch if units need `transient`
/// while they run; nothing if `transient` alone does not fit.
using SavedBudget = std::function<std::optional<Bytes>(Bytes transient)>;

/// The cheapest mix that fits, exactly; among equally cheap ones the one that
/// saves fewest bytes. Nothing if no mix fits.
std::optional<RecomputeMix> cheapestMix(const std::vector<UnitGroup> &groups,
                                        RecomputeMask allowed,
                                        const SavedBudget &budget);

/// The fewest bytes that any mix saves.
Bytes leastSaved(const std::vector<UnitGroup> &groups, RecomputeMask allowed);

/// One step on the lower convex hull of the choices of a unit: how many bytes
/// fewer it saves, and how much longer it takes, than with the next faster
/// choice.
struct RecomputeStep {
  double bytes = 0, time = 0;
  double price() const { return time / bytes; }
};
/// The steps from the fastest choice on, each with a higher price per byte than
/// the one before. No mix of the choices of the unit lies below the hull.
std::vector<RecomputeStep> recomputeSteps(const UnitCosts &unit,
                                          RecomputeMask allowed);

/// A lower bound on the time of every mix that saves at most `budget`, by the
/// relaxation in which parts of a unit may be treated differently. `budget`
/// must be at least `leastSaved`.
Nanoseconds leastRecompute(const std::vector<UnitGroup> &groups,
                           RecomputeMask allowed, Bytes budget);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H
