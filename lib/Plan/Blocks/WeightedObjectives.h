// SPDX-License-Identifier: Apache-2.0
//
// Weighted objectives, for blocks with too many layouts to keep all that are
// worth having. An objective is one number, a weighted sum of the numbers of a
// layout, each as a share of what the unsplit block needs.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <vector>

namespace shardsmith::blocks {

class WeightedObjective {
public:
  /// The value of a part of a layout; infinite if it cannot run so. On several
  /// device kinds times are added up, and memory counts once (`countsMemory`),
  /// on the first.
  double of(const UnitCosts &costs, bool countsMemory) const;

private:
  friend std::vector<WeightedObjective>
  weightedObjectives(const UnitCostModel &model);

  /// The weights of a nanosecond, of a byte that is saved if nothing is
  /// recomputed, of one that is saved if everything is, and of a parameter.
  double perTime = 0, perSaved = 0, perLeast = 0, perParameter = 0;
};

/// Six objectives: time, saved bytes without and with recomputation,
/// parameters, and two in between. The other numbers have small weights, which
/// decide between layouts that are equal in the large ones.
std::vector<WeightedObjective> weightedObjectives(const UnitCostModel &model);

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_WEIGHTEDOBJECTIVES_H
