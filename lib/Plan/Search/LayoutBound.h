// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of a layout, before any stage is cut: without a
// pipeline they are nearly the step itself.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H
#define SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H

#include "StagePartition.h"

#include <map>

namespace shardsmith::search {

/// One layout's sums over the chain, on one kind of device; or what no one of
/// several layouts has less of.
struct ChainSums {
  /// The whole chain as the work of one rank, without recomputation.
  StageWork whole;
  std::vector<UnitGroup> groups;
  /// Of a micro-batch through a unit of each segment and through the chain,
  /// with the fastest recomputation allowed.
  std::vector<Nanoseconds> unitTimes;
  Nanoseconds time;
  /// What recomputation adds at least, and what is saved then.
  Nanoseconds leastRecompute;
  Bytes savedThen, leastSaved;
  /// What hides communication and fills gaps, at most: kernels, and those of
  /// the gradients of parameters.
  Nanoseconds mostCompute, mostBackwardWeight;

  ChainSums(const Chain &chain, const std::vector<UnitCosts> &units,
            RecomputeMask allowed);
};

/// The least of everything that any of several layouts needs, each part on its
/// own.
class ChainFloor {
public:
  /// `units`: per layout the prices of its blocks; `sums`: the same added up.
  ChainFloor(const Chain &chain,
             const std::vector<const std::vector<UnitCosts> *> &units,
             const std::vector<const ChainSums *> &sums, RecomputeMask allowed);
  ChainFloor(const ChainFloor &) = delete;
  ChainFloor &operator=(const ChainFloor &) = delete;

  const ChainSums &sums() const { return *floor; }

private:
  /// Of an ideal layout, which `floor` refers to.
  std::vector<UnitCosts> ideal;
  std::optional<ChainSums> floor;
};

/// The least time per micro-batch of the busiest rank, whatever the cuts:
/// `unitTimes` per segment. With several stages per rank a rank may hold any
/// units.
Nanoseconds leastBottleneck(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer);

/// Bounds under one model, for one kind of device; prices of parameters are
/// remembered from layout to layout.
class LayoutBound {
public:
  LayoutBound(const StepModel &model, const Strategy &outer,
              RecomputeMask allowed, unsigned pool);

  /// Nothing if no partition fits. `bottleneck` as above.
  std::optional<StepModel::Totals> totals(const ChainSums &sums,
                                          Nanoseconds bottleneck);

private:
  /// The least time per micro-batch of the busiest rank if the units of each
  /// segment are spread over ranks with only so much memory; nothing if there
  /// is no room for them.
  std::optional<Nanoseconds> crowdedRank(const ChainSums &sums) const;
  std::optional<Nanoseconds> crowdedRank(const UnitGroup &group) const;
  /// The most that all ranks together may save per micro-batch.
  std::optional<Bytes> savedBudget(const ChainSums &sums) const;
  Nanoseconds tail(int64_t dense, int64_t expert);
  /// Exposed exchange of ZeRO and messages, summed over ranks.
  Nanoseconds communication(const ChainSums &sums, const StageWork &work);

  const StepModel &model;
  const Strategy &outer;
  RecomputeMask allowed;
  unsigned pool;
  /// What ranks without parameters may save: all together, and the rank with
  /// most micro-batches in flight; nothing if the overhead alone is too much.
  struct EmptyRanks {
    Bytes total, least = Bytes::saturated(), overhead;
    /// How many ranks may save so much.
    std::map<Bytes, int64_t> budgets;
  };
  std::optional<EmptyRanks> empty;
  std::map<std::pair<int64_t, int64_t>, Nanoseconds> tails;
  std::map<std::pair<int64_t, int64_t>, RankTimes> exchanges;
  std::map<Bytes, Nanoseconds> messages;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_LAYOUTBOUND_H
