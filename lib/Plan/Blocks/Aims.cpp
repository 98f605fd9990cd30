// SPDX-License-Identifier: Apache-2.0

#include "Aims.h"

#include <limits>

namespace shardsmith::blocks {

double Aim::of(const UnitCosts &costs, bool countsMemory) const {
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

std::vector<Aim> aimsOf(const UnitCostModel &model) {
  UnitCosts whole = model.price(unsplitLayout(model.block()));
  SharedParameters held = parametersOfUnit(whole);
  auto shareOf = [](int64_t amount) {
    return 1 / std::max(1.0, double(amount));
  };
  // Of time, saved bytes without and with recomputation, and parameters.
  constexpr double little = 1e-3, some = 0.2;
  constexpr double weights[][4] = {{1, little, little, little},
                                   {little, 1, little, little},
                                   {little, little, 1, little},
                                   {little, little, little, 1},
                                   {1, 1, some, 1},
                                   {1, some, little, some}};
  std::vector<Aim> aims;
  for (const auto &[time, saved, least, parameters] : weights) {
    Aim &aim = aims.emplace_back();
    aim.perTime = time * shareOf(whole.time(Recompute::None).count());
    aim.perSaved =
        saved * shareOf(whole.saved[size_t(Recompute::None)].count());
    aim.perLeast =
        least * shareOf(whole.saved[size_t(Recompute::Full)].count());
    aim.perParameter = parameters * shareOf(held.dense + held.expert);
  }
  return aims;
}

} // namespace shardsmith::blocks
