// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of a layout, before any stage is cut: without a
// pipeline they are nearly the step itself.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H

#include "../Chains/ChainSums.h"
#include "../Chains/CutLists.h"
#include "ActivationBudgets.h"

#include <map>

namespace shardsmith::search {

/// The least time per micro-batch of the busiest of so many ranks, whichever
/// units they hold; saturated if the sum of all is. `timeOf`: of a unit of a
/// segment.
template <typename TimeOf>
Nanoseconds evenShareBound(const Chain &chain, TimeOf timeOf, int64_t ranks) {
  Nanoseconds sum, least;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    int64_t count = chain.count(segment);
    Nanoseconds time = timeOf(segment);
    sum += time * count;
    // Whoever has most of the segment has at least the mean of it.
    least = std::max(least, time * ceilDivide(count, ranks));
  }
  if (sum.isSaturated())
    return sum;
  return std::max(least, Nanoseconds(ceilDivide(sum.count(), ranks)));
}
inline auto bySegment(const std::vector<Nanoseconds> &unitTimes) {
  return [&](size_t segment) { return unitTimes[segment]; };
}
/// The same whatever the cuts. With one stage per rank it holds neighbours.
Nanoseconds bottleneckBound(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer);

/// What the exchange of parameters takes under one device order and ZeRO stage
/// on one kind of device, remembered from layout to layout and from schedule to
/// schedule. Ranks are those with the mean of one kind of parameters.
class ParameterPrices {
public:
  explicit ParameterPrices(unsigned pool) : pool(pool) {}

  /// After the last micro-batch.
  Nanoseconds tail(const StepModel &model, int64_t dense, int64_t expert);
  /// Of every micro-batch, with all kernels at zero.
  const RankTimes &exchange(const StepModel &model, int64_t dense,
                            int64_t expert);

private:
  unsigned pool;
  std::map<std::pair<int64_t, int64_t>, Nanoseconds> tails;
  std::map<std::pair<int64_t, int64_t>, RankTimes> exchanges;
};

/// Bounds under one model, if all ranks are on one kind of device.
class LayoutBound {
public:
  /// `empty`, `prices`: of the pool; all must outlive this. Bounds hold for
  /// steps up to `longest`.
  LayoutBound(const StepModel &model, const Strategy &outer,
              RecomputeMask allowed, unsigned pool,
              const std::optional<ActivationBudgets> &empty,
              ParameterPrices &prices, Nanoseconds longest);

  struct Least {
    /// Each at least.
    StepModel::Totals totals;
    /// Summed over the chain: what memory makes it recompute, and exposed
    /// exchange between ranks, both per micro-batch.
    Nanoseconds recompute, communication;
    /// `StepModel::work`, where a layout that takes longer may fill more gaps:
    /// more than that of the totals, or nothing worth knowing.
    Nanoseconds work;
  };
  /// Nothing if no partition fits. `bottleneck` as above.
  std::optional<Least> least(const ChainSums &sums, Nanoseconds bottleneck);
  /// The same by the units' times alone: less, whatever the ZeRO stage.
  Least ofUnits(const ChainSums &sums, Nanoseconds bottleneck) const;
  /// What `segmentMakespanBound` needs to know of units of this group on ranks
  /// with these budgets; the overhead must fit.
  DeviceKindCapacity ranksFor(const UnitGroup &group,
                              std::span<const RankBudget> budgets) const;
  const std::optional<ActivationBudgets> &activationBudgets() const {
    return empty;
  }
  /// The most that a rank computes per micro-batch.
  Nanoseconds longest() const { return longestRank; }

  /// The same on ranks of several kinds: `least` has the recomputation,
  /// communication and tail that are least on any of them, and gets the rest.
  void addUp(const ChainSums &sums, Nanoseconds bottleneck, Least &least) const;

private:
  /// With the parameters that are gathered then.
  WorkingMemory running(const UnitCosts &unit) const;
  /// The most that all ranks together may save per micro-batch.
  std::optional<Bytes> savedBudget(const ChainSums &sums) const;
  /// Exposed exchange of ZeRO and messages, summed over ranks.
  Nanoseconds communication(const ChainSums &sums, const StageWork &work);

  const StepModel &model;
  const Strategy &outer;
  RecomputeMask allowed;
  unsigned pool;
  const std::optional<ActivationBudgets> &empty;
  ParameterPrices &prices;
  /// What each rank, and all together, compute at most per micro-batch.
  Nanoseconds longestRank, mostCompute;
  /// Time and idle of the ranks together, where a layout that takes longer may
  /// fill more gaps; without what comes after the last micro-batch.
  Nanoseconds unfilledWork(const UnfilledTimeEnvelope &unfilled,
                           Nanoseconds recompute,
                           Nanoseconds communication) const;

  /// From stage to stage.
  std::map<Bytes, Nanoseconds> messages;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H
