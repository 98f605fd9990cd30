// SPDX-License-Identifier: Apache-2.0
//
// What the search minimises: the time of a step, or its price. For a Pareto
// front of both, plans on equally many devices are compared by time alone,
// since there the fastest is the cheapest.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H
#define SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H

#include "shardsmith/Plan/Search/Search.h"

namespace shardsmith::search {

class Objective {
public:
  Objective(const ClusterTopology &topology, SearchObjective objective);

  /// The cost of a step on so many ranks: nanoseconds, or billionths of a
  /// dollar rounded up.
  int64_t cost(Nanoseconds step, int64_t ranks) const;
  /// The longest step whose cost is at most `cost`.
  Nanoseconds longestStep(int64_t cost, int64_t ranks) const;
  /// The price of a step in billionths of a dollar, rounded up; saturates at
  /// the largest number.
  int64_t price(Nanoseconds step, int64_t ranks) const;
  /// The longest step whose price is at most `price`.
  Nanoseconds longestStepFor(int64_t price, int64_t ranks) const;
  /// The price of a step in dollars, if all devices have prices.
  std::optional<double> dollars(Nanoseconds step, int64_t ranks) const;

private:
  SearchObjective objective;
  /// Runs of devices with equal prices, in the order of the devices: how many,
  /// and their dollars per hour. A plan uses the first devices and pays for
  /// those.
  std::vector<std::pair<int64_t, double>> dollarsPerHour;
  bool isComplete = true;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_OBJECTIVE_H
