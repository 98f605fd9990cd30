// SPDX-License-Identifier: Apache-2.0

#include "WeightedObjectives.h"

#include <limits>

namespace shardsmith::blocks {

double WeightedObjective::of(const UnitCosts &costs, bool countsMemory) const {
  if (costs.forward.isSaturated())
    return std::numeric_limits<double>::infinity();
  SharedParameters all = parametersOfUnit(costs);
  double sum = perTime * double(costs.time(Recompute::None).count());
  if (countsMemory)
    sum += perSaved * double(costs.saved[size_t(Recompute::None)].count()) +
           perLeast * double(costs.saved[size_t(Recompute::Full)].count()) +
           perParameter * (double(all.dense) + double(all.expert));
  return sum;
}

std::vector<WeightedObjective> weightedObjectives(const UnitCostModel &model) {
  UnitCosts whole = model.price(unsplitLayout(model.block()));
  SharedParameters held = parametersOfUnit(whole);
  auto shareOf = [](int64_t amount) {
    return 1 / std::max(1.0, double(amount));
  };
  // Weights of time, of saved bytes without and with recomputation, and of
  // parameters.
  constexpr double little = 1e-3, some = 0.2;
  constexpr double weights[][4] = {{1, little, little, little},
                                   {little, 1, little, little},
                                   {little, little, 1, little},
                                   {little, little, little, 1},
                                   {1, 1, some, 1},
                                   {1, some, little, some}};
  std::vector<WeightedObjective> objectives;
  for (const auto &[time, saved, least, parameters] : weights) {
    WeightedObjective &objective = objectives.emplace_back();
    objective.perTime = time * shareOf(whole.time(Recompute::None).count());
    objective.perSaved =
        saved * shareOf(whole.saved[size_t(Recompute::None)].count());
    objective.perLeast =
        least * shareOf(whole.saved[size_t(Recompute::Full)].count());
    objective.perParameter = parameters * shareOf(held.dense + held.expert);
  }
  return objectives;
}

} // namespace shardsmith::blocks
