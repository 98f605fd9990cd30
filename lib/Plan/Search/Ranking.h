// SPDX-License-Identifier: Apache-2.0
//
// The incumbents: the best plans found so far, at most one per configuration.
// The cost of the last of them is the limit for all others.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_RANKING_H
#define SHARDSMITH_LIB_PLAN_SEARCH_RANKING_H

#include "../Configurations/ConfigurationSearch.h"
#include "Objective.h"

#include <limits>

namespace shardsmith::search {

class Ranking {
public:
  /// Keeps `count` plans, each of which costs at most `most`.
  explicit Ranking(size_t count,
                   int64_t most = std::numeric_limits<int64_t>::max())
      : count(std::max<size_t>(count, 1)), most(most) {}

  /// The limit: plans that cost more need not be found.
  int64_t limit() const;
  /// The cost of the best plan; the largest number if there is none.
  int64_t leastCost() const {
    return entries.empty() ? std::numeric_limits<int64_t>::max()
                           : entries.front().cost;
  }
  /// Returns whether it is among those that are kept.
  bool add(int64_t cost, const ParallelConfiguration &degrees,
           Candidate candidate);
  /// The degrees of the best plan; there must be one.
  const ParallelConfiguration &bestDegrees() const {
    return entries.front().degrees;
  }
  const Candidate &best() const { return entries.front().candidate; }
  /// Puts a plan before all others, whatever it costs.
  void putFirst(int64_t cost, const ParallelConfiguration &degrees,
                Candidate candidate);
  /// The plans, best first, each priced by `estimateStep` and with the reason
  /// why it is not the first. Throws `std::logic_error` if that price differs
  /// from the one of the search.
  std::vector<RankedPlan> plans(const CostContext &context,
                                const Objective &objective) const;

private:
  struct Entry {
    int64_t cost;
    ParallelConfiguration degrees;
    Candidate candidate;
  };
  size_t count;
  int64_t most;
  /// Sorted by cost, then by degrees.
  std::vector<Entry> entries;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_RANKING_H
