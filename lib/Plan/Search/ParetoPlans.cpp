// SPDX-License-Identifier: Apache-2.0

#include "ParetoPlans.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::search {

Nanoseconds ParetoPlans::longestStep(int64_t ranks) const {
  Nanoseconds longest = Nanoseconds::saturated();
  for (const RankedPlan &plan : plans) {
    // A plan is not dominated if it is faster, or else cheaper.
    Nanoseconds faster = plan.estimate.step() - Nanoseconds(1);
    Nanoseconds cheaper = objective.longestStepFor(priceOf(plan) - 1, ranks);
    longest = std::min(longest, std::max(faster, cheaper));
  }
  return longest;
}

void ParetoPlans::add(RankedPlan plan) {
  std::erase_if(plans, [&](const RankedPlan &other) {
    return plan.estimate.step() <= other.estimate.step() &&
           priceOf(plan) <= priceOf(other);
  });
  auto isFaster = [](const RankedPlan &a, const RankedPlan &b) {
    return a.estimate.step() < b.estimate.step();
  };
  plans.insert(std::ranges::upper_bound(plans, plan, isFaster),
               std::move(plan));
}

std::vector<RankedPlan> ParetoPlans::take() {
  for (RankedPlan &plan : plans) {
    const RankedPlan &fastest = plans.front();
    if (&plan == &fastest)
      continue;
    double time = double(plan.estimate.step().count()) /
                  double(fastest.estimate.step().count());
    double money = double(priceOf(plan)) / double(priceOf(fastest));
    plan.whyNotFirst = fmt::format("{:.1f} % slower, {:.1f} % cheaper",
                                   100 * (time - 1), 100 * (1 - money));
  }
  return std::move(plans);
}

} // namespace shardsmith::search
