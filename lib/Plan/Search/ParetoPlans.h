// SPDX-License-Identifier: Apache-2.0
//
// The Pareto front of time and money: the plans that no other plan is as fast
// as and as cheap as.
//
//     dollars
//        │  ● 64 devices
//        │           ×  60 devices: slower and dearer than 48
//        │     ● 48
//        │              ● 32
//        └────────────────── time
//
// Devices are paid for by time, so of plans on equally many devices the fastest
// is the cheapest, and the front has at most one plan per number of devices.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_PARETOPLANS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_PARETOPLANS_H

#include "Objective.h"

namespace shardsmith::search {

class ParetoPlans {
public:
  explicit ParetoPlans(const Objective &objective) : objective(objective) {}

  /// The longest step on so many ranks that no plan of the front dominates;
  /// saturated if every step would be new to the front.
  Nanoseconds longestStep(int64_t ranks) const;
  /// Adds a plan, which no plan of the front may dominate, and drops the plans
  /// that it dominates.
  void add(RankedPlan plan);
  /// The plans of the front, fastest first. Each says what it gains and loses
  /// against the first.
  std::vector<RankedPlan> take();

private:
  int64_t priceOf(const RankedPlan &plan) const {
    return objective.price(plan.estimate.step(), plan.strategy.rankCount());
  }

  const Objective &objective;
  std::vector<RankedPlan> plans;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_PARETOPLANS_H
