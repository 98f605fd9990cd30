// SPDX-License-Identifier: Apache-2.0
//
// The best plans so far, one per combination of degrees.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_RANKING_H
#define SHARDSMITH_LIB_PLAN_SEARCH_RANKING_H

#include "../Configurations/ConfigurationSearch.h"
#include "Objective.h"

#include <limits>

namespace shardsmith::search {

class Ranking {
public:
  /// Only plans that cost at most `most` are of interest.
  explicit Ranking(size_t count,
                   int64_t most = std::numeric_limits<int64_t>::max())
      : count(std::max<size_t>(count, 1)), most(most) {}

  /// Plans that cost more need not be found.
  int64_t limit() const;
  /// Of the best plan; endless without one.
  int64_t leastCost() const {
    return entries.empty() ? std::numeric_limits<int64_t>::max()
                           : entries.front().cost;
  }
  void add(int64_t cost, const ParallelConfiguration &degrees,
           Candidate candidate);
  /// The best plan; there must be one.
  const ParallelConfiguration &bestDegrees() const {
    return entries.front().degrees;
  }
  const Candidate &best() const { return entries.front().candidate; }
  /// Puts a plan before all others, whatever it costs.
  void putFirst(int64_t cost, const ParallelConfiguration &degrees,
                Candidate candidate);
  /// Best first, priced by `estimateStep`, with the reasons why they lost.
  /// Throws `std::logic_error` where that differs from the search's own price.
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
