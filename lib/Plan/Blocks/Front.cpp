// SPDX-License-Identifier: Apache-2.0

#include "Front.h"

namespace shardsmith::blocks {

PlainSums::PlainSums(const UnitCosts &costs, const Grains &grains) {
  setTimes(costs);
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    values[recomputeChoices + choice] = grains.ofBytes(costs.saved[choice]);
  values[6] = grains.ofParameters(costs.denseParameters);
  values[7] = grains.ofParameters(costs.expertParameters);
  values[8] = grains.ofParameters(costs.partialParameters);
}

void PlainSums::setTimes(const UnitCosts &costs) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    values[choice] = costs.time(Recompute(choice)).count();
}

} // namespace shardsmith::blocks
