// SPDX-License-Identifier: Apache-2.0
//
// How many units of a rank keep everything, recompute attention, or recompute
// all: the mixture that costs least time among those that fit.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H
#define SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H

#include "shardsmith/Cost/Step/StepModel.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace shardsmith::search {

using RecomputeMask = std::array<bool, recomputeChoices>;
/// Units per choice.
using RecomputeCounts = std::array<int64_t, recomputeChoices>;

/// The fastest way of recomputing that is allowed; of equally fast ones the one
/// that saves least. One must be allowed.
Recompute fastestChoice(const UnitCosts &unit, RecomputeMask allowed);

/// Equal units of one rank.
struct UnitGroup {
  const UnitCosts *unit = nullptr;
  int64_t count = 0;
};

struct RecomputeMix {
  /// Time that it adds per micro-batch.
  Nanoseconds time;
  Bytes saved, transient;
  /// Per group.
  std::vector<RecomputeCounts> counts;
};

/// Most bytes that may be saved per micro-batch if units need `transient` while
/// they run; nothing if that does not fit at all.
using SavedBudget = std::function<std::optional<Bytes>(Bytes transient)>;

/// The cheapest mixture that fits; among equally cheap ones the one that saves
/// fewest bytes. Exact.
std::optional<RecomputeMix> cheapestMix(const std::vector<UnitGroup> &groups,
                                        RecomputeMask allowed,
                                        const SavedBudget &budget);

/// The mixture that saves least, and what it saves.
Bytes leastSaved(const std::vector<UnitGroup> &groups, RecomputeMask allowed);

/// What a unit saves less, and takes longer, with a choice instead of the one
/// that is a little faster.
struct RecomputeStep {
  double bytes = 0, time = 0;
  double price() const { return time / bytes; }
};
/// From the fastest choice on, each dearer than the one before: no mixture of
/// the unit's choices is below them.
std::vector<RecomputeStep> recomputeSteps(const UnitCosts &unit,
                                          RecomputeMask allowed);

/// No mixture that saves at most `budget` takes less: the time if parts of a
/// unit could be treated differently. The budget is at least `leastSaved`.
Nanoseconds leastRecompute(const std::vector<UnitGroup> &groups,
                           RecomputeMask allowed, Bytes budget);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_RECOMPUTEMIX_H
