// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of a layout, before any stage is cut: without a
// pipeline they are nearly the step itself.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H
#define SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H

#include "ChainSums.h"
#include "RankRoom.h"
#include "StagePartition.h"

#include <map>

namespace shardsmith::search {

/// The least time per micro-batch of the busiest of so many ranks, whichever
/// units they hold: `unitTimes` per segment; saturated if their sum is.
Nanoseconds leastShare(const Chain &chain,
                       const std::vector<Nanoseconds> &unitTimes,
                       int64_t ranks);
/// The same whatever the cuts. With one stage per rank it holds neighbours.
Nanoseconds leastBottleneck(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer);

/// What ranks without parameters may save: all together, and the rank with
/// most micro-batches in flight.
struct EmptyRanks {
  Bytes total, least = Bytes::saturated(), overhead;
  SavedBudgets budgets;
};
/// The same for any device order and ZeRO stage; nothing if the overhead alone
/// is too much.
std::optional<EmptyRanks> emptyRanks(const StepModel &model,
                                     const Strategy &outer, unsigned pool);

/// Bounds under one model, for one kind of device; prices of parameters are
/// remembered from layout to layout.
class LayoutBound {
public:
  /// `empty`: of the pool.
  LayoutBound(const StepModel &model, const Strategy &outer,
              RecomputeMask allowed, unsigned pool,
              const std::optional<EmptyRanks> &empty)
      : model(model), outer(outer), allowed(allowed), pool(pool), empty(empty) {
  }

  /// Nothing if no partition fits. `bottleneck` as above.
  std::optional<StepModel::Totals> totals(const ChainSums &sums,
                                          Nanoseconds bottleneck);
  /// `crowdedRank` of every group, which takes longer to find out; nothing if
  /// one has no room.
  std::optional<Nanoseconds> busiestRank(const ChainSums &sums) const;

private:
  /// By the parameters of the work.
  Bytes heldBytes(StageWork work) const;
  /// The most that all ranks together may save per micro-batch.
  std::optional<Bytes> savedBudget(const ChainSums &sums) const;
  Nanoseconds tail(int64_t dense, int64_t expert);
  /// Exposed exchange of ZeRO and messages, summed over ranks.
  Nanoseconds communication(const ChainSums &sums, const StageWork &work);

  const StepModel &model;
  const Strategy &outer;
  RecomputeMask allowed;
  unsigned pool;
  const std::optional<EmptyRanks> &empty;
  std::map<std::pair<int64_t, int64_t>, Nanoseconds> tails;
  std::map<std::pair<int64_t, int64_t>, RankTimes> exchanges;
  std::map<Bytes, Nanoseconds> messages;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H
