// SPDX-License-Identifier: Apache-2.0

#include "Objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsmith::search {

Objective::Objective(const ClusterTopology &topology, SearchObjective objective)
    : objective(objective) {
  for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
    const DeviceType &type = topology.deviceType(pool);
    isComplete &= type.dollarsPerHour.has_value();
    dollarsPerHour.emplace_back(topology.pools()[pool].count(),
                                type.dollarsPerHour.value_or(0));
  }
}

std::optional<double> Objective::dollars(Nanoseconds step,
                                         int64_t ranks) const {
  if (!isComplete)
    return std::nullopt;
  double perHour = 0;
  for (auto [count, each] : dollarsPerHour) {
    int64_t used = std::min(count, ranks);
    perHour += double(used) * each;
    ranks -= used;
  }
  return perHour * double(step.count()) / 3.6e12;
}

int64_t Objective::cost(Nanoseconds step, int64_t ranks) const {
  return objective == SearchObjective::Dollars ? price(step, ranks)
                                               : step.count();
}

int64_t Objective::price(Nanoseconds step, int64_t ranks) const {
  double billionths = std::ceil(dollars(step, ranks).value_or(0) * 1e9);
  if (!(billionths < 9.2e18))
    return std::numeric_limits<int64_t>::max();
  return int64_t(billionths);
}

Nanoseconds Objective::longestStep(int64_t limit, int64_t ranks) const {
  return objective == SearchObjective::Dollars ? longestStepFor(limit, ranks)
                                               : Nanoseconds(limit);
}

Nanoseconds Objective::longestStepFor(int64_t limit, int64_t ranks) const {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  if (limit == most)
    return Nanoseconds(most);
  int64_t within = 0, above = most;
  while (above - within > 1) {
    int64_t middle = within + (above - within) / 2;
    (price(Nanoseconds(middle), ranks) <= limit ? within : above) = middle;
  }
  return Nanoseconds(within);
}

} // namespace shardsmith::search
