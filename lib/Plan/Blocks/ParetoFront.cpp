// SPDX-License-Identifier: Apache-2.0

#include "ParetoFront.h"

namespace shardsmith::blocks {

PlainSums::PlainSums(const UnitCosts &costs, const EpsilonGrid &grid,
                     RecomputeWays ways) {
  setTimes(costs, ways);
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (ways[choice] || choice == size_t(Recompute::None))
      values[recomputeChoices + choice] = grid.ofBytes(costs.saved[choice]);
  values[6] = grid.ofParameters(costs.denseParameters);
  values[7] = grid.ofParameters(costs.expertParameters);
  values[8] = grid.ofParameters(costs.partialParameters);
  for (const SharedParameters &each : costs.shared) {
    values[9] += grid.ofParameters(each.dense);
    values[10] += grid.ofParameters(each.expert);
    values[11] += grid.ofParameters(each.partial);
  }
}

void PlainSums::setTimes(const UnitCosts &costs, RecomputeWays ways) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (ways[choice])
      values[choice] = costs.time(Recompute(choice)).count();
}

} // namespace shardsmith::blocks
