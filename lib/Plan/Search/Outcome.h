// SPDX-License-Identifier: Apache-2.0
//
// What a search answers, while it runs and at its end.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_OUTCOME_H
#define SHARDSMITH_LIB_PLAN_SEARCH_OUTCOME_H

#include "Objective.h"

#include "shardsmith/Plan/Search/Search.h"

namespace shardsmith::search {

/// What a search knows of its plans.
struct Outcome {
  SearchCounts counts = {};
  /// Of the best plan.
  int64_t cost = 0;
  /// No plan that was not looked at costs less.
  int64_t left = 0;
  bool isProved = false;
  bool isStopped = false;
};

/// The answer with these plans, the best first.
SearchResult resultOf(std::vector<RankedPlan> plans, const Outcome &outcome,
                      const CostContext &context, const Objective &objective);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_OUTCOME_H
