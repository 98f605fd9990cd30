// SPDX-License-Identifier: Apache-2.0
//
// What a single layout may be made for where there are too many to keep all
// that are worth having: one number, a weighted sum of a layout's numbers, each
// as a share of what the unsplit block needs.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <vector>

namespace shardsmith::blocks {

class WeightedObjective {
public:
  /// The number of a part of a layout; infinite if it cannot run so. On several
  /// kinds of device times add up, and memory counts on the first.
  double of(const UnitCosts &costs, bool countsMemory) const;

private:
  friend std::vector<WeightedObjective>
  weightedObjectives(const UnitCostModel &model);

  /// Per nanosecond, per byte that is saved if nothing is recomputed, or
  /// everything is, and per parameter.
  double perTime = 0, perSaved = 0, perLeast = 0, perParameter = 0;
};

/// The fastest, the ones that save least without and with recomputation, the
/// one with the fewest parameters, and two in between. What an aim leaves open
/// is decided by the other numbers.
std::vector<WeightedObjective> weightedObjectives(const UnitCostModel &model);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H
