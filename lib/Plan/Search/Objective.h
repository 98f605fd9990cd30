// SPDX-License-Identifier: Apache-2.0
//
// What the search minimises: the time of a step, or the money it costs. Of a
// front, plans with equally many devices are told apart by time alone.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H
#define SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H

#include "shardsmith/Plan/Search/Search.h"

namespace shardsmith::search {

class Objective {
public:
  Objective(const ClusterTopology &topology, SearchObjective objective);

  /// Nanoseconds, or billionths of a dollar rounded up.
  int64_t cost(Nanoseconds step, int64_t ranks) const;
  /// The longest step whose cost is at most `cost`.
  Nanoseconds longestStep(int64_t cost, int64_t ranks) const;
  /// Billionths of a dollar rounded up; at most the largest number.
  int64_t price(Nanoseconds step, int64_t ranks) const;
  /// The longest step whose price is at most `price`.
  Nanoseconds longestStepFor(int64_t price, int64_t ranks) const;
  /// Dollars of a step, if all devices have prices.
  std::optional<double> dollars(Nanoseconds step, int64_t ranks) const;

private:
  SearchObjective objective;
  /// Of the first devices in their order: a plan pays for those it uses.
  std::vector<std::pair<int64_t, double>> dollarsPerHour;
  bool isComplete = true;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H
