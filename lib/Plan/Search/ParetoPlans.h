// SPDX-License-Identifier: Apache-2.0
//
// Time against money: the plans that no other is as fast as and as cheap as.
//
//     dollars
//        │  ● 64 devices
//        │           ×  60 devices: slower and dearer than 48
//        │     ● 48
//        │              ● 32
//        └────────────────── time
//
// Devices cost what their time costs, so of equally many the fastest plan is
// the cheapest: a front has at most one plan per number of devices.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_PARETOPLANS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_PARETOPLANS_H

#include "Objective.h"

namespace shardsmith::search {

class ParetoPlans {
public:
  explicit ParetoPlans(const Objective &objective) : objective(objective) {}

  /// Any longer step on so many ranks is beaten by a plan of the front:
  /// saturated if there is none.
  Nanoseconds longestStep(int64_t ranks) const;
  /// `plan` must not be beaten by any; those that it beats are dropped.
  void add(RankedPlan plan);
  /// Fastest first, each with what it gains and loses against the first.
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
