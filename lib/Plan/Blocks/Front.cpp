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
  for (const SharedParameters &each : costs.shared) {
    values[9] += grains.ofParameters(each.dense);
    values[10] += grains.ofParameters(each.expert);
    values[11] += grains.ofParameters(each.partial);
  }
}

void PlainSums::setTimes(const UnitCosts &costs) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    values[choice] = costs.time(Recompute(choice)).count();
}

} // namespace shardsmith::blocks
