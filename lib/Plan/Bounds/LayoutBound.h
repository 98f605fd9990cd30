// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of a layout of the chain, before any stage is cut.
// Without a pipeline they are nearly the step itself. With one they are the
// greatest of three:
//
//     every cut has a busiest rank        bottleneckBound
//     ranks share all work and memory     the mean over the ranks, with the
//                                         recomputation that memory enforces
//     ranks share units of a segment      segmentMakespanBound

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H

#include "../Chains/ChainSums.h"
#include "../Chains/CutLists.h"
#include "ActivationBudgets.h"

#include <map>

namespace shardsmith::search {

/// A lower bound on the time per micro-batch of the busiest of `ranks` ranks,
/// whichever units they hold. It is saturated if the sum over all units is.
/// `timeOf(segment)` is the time of a unit of the segment.
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
/// A closer bound of the same for ranks that have one stage each, and so hold
/// neighbouring units; with several stages per rank `evenShareBound`.
Nanoseconds bottleneckBound(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer);

/// Times of the exchange of parameters under one device order and one ZeRO
/// stage on one device kind, for a rank that holds the mean of the parameters.
/// They are remembered from layout to layout and from schedule to schedule.
class ParameterPrices {
public:
  explicit ParameterPrices(unsigned pool) : pool(pool) {}

  /// The time after the last micro-batch: gradients that are left to reduce,
  /// and the optimizer.
  Nanoseconds tail(const StepModel &model, int64_t dense, int64_t expert);
  /// The times of a micro-batch whose kernels take no time, so that the whole
  /// exchange is visible.
  const RankTimes &exchange(const StepModel &model, int64_t dense,
                            int64_t expert);

private:
  unsigned pool;
  std::map<std::pair<int64_t, int64_t>, Nanoseconds> tails;
  std::map<std::pair<int64_t, int64_t>, RankTimes> exchanges;
};

/// Bounds of layouts in one variant whose ranks all lie on one device kind.
class LayoutBound {
public:
  /// `empty` and `prices` are those of the pool. All arguments must outlive
  /// this object. The bounds hold for steps up to `longest`: a layout whose
  /// bound is above that may have any step above it.
  LayoutBound(const StepModel &model, const Strategy &outer,
              RecomputeMask allowed, unsigned pool,
              const std::optional<ActivationBudgets> &empty,
              ParameterPrices &prices, Nanoseconds longest);

  struct Least {
    /// The least of each total.
    StepModel::Totals totals;
    /// Sums over the chain, both per micro-batch: the recomputation that memory
    /// enforces, and the exposed exchange between ranks.
    Nanoseconds recompute, communication;
    /// A bound on `StepModel::work` for schedules in which a slower layout may
    /// fill more of the gaps. It counts only where it is above the work of the
    /// totals.
    Nanoseconds work;
  };
  /// The bound of a layout with these sums; nothing if no partition of it fits.
  /// `bottleneck` is what `bottleneckBound` gives.
  std::optional<Least> least(const ChainSums &sums, Nanoseconds bottleneck);
  /// The same by the times of units alone. It is no larger than the bound under
  /// any ZeRO stage.
  Least ofUnits(const ChainSums &sums, Nanoseconds bottleneck) const;
  /// The capacity of ranks with these budgets for units of this group, as
  /// `segmentMakespanBound` takes it. The overhead must fit.
  DeviceKindCapacity ranksFor(const UnitGroup &group,
                              std::span<const RankBudget> budgets) const;
  const std::optional<ActivationBudgets> &activationBudgets() const {
    return empty;
  }
  /// The most that a rank may compute per micro-batch in a step of `longest`.
  Nanoseconds longest() const { return longestRank; }

  /// Completes the bound on ranks of several kinds. `least` comes with the
  /// recomputation, the communication and the tail that are least on any of the
  /// kinds, and gets the other members.
  void addUp(const ChainSums &sums, Nanoseconds bottleneck, Least &least) const;

private:
  /// Whether saved bytes count in full for every micro-batch in flight.
  bool areSavedInFull() const;
  /// The working memory of the unit, with the parameters that are gathered
  /// while it runs.
  WorkingMemory running(const UnitCosts &unit) const;
  /// The working memory that every rank has at least, and that some rank has at
  /// least, wherever the stages are cut and whatever is recomputed.
  struct Running {
    Bytes least = Bytes::saturated(), most;
  };
  Running runningIn(const ChainSums &sums) const;
  /// The saved bytes per micro-batch for which all ranks together have room;
  /// nothing if parameters and the units that run do not fit. No plan that fits
  /// saves more: with the numbers of an ideal, no layout of it that fits does.
  /// On one rank that is the whole chain's memory, so that a layout is refused
  /// if no recomputation makes it fit, but for rounding and for a unit that
  /// needs more while it is recomputed.
  std::optional<Bytes> savedBudget(const ChainSums &sums) const;
  /// The exposed exchange of ZeRO and the messages between stages, summed over
  /// the ranks.
  Nanoseconds communication(const ChainSums &sums, const StageWork &work);

  const StepModel &model;
  const Strategy &outer;
  RecomputeMask allowed;
  unsigned pool;
  const std::optional<ActivationBudgets> &empty;
  ParameterPrices &prices;
  /// The most that each rank, and all ranks together, compute per micro-batch
  /// in a step of `longest`.
  Nanoseconds longestRank, mostCompute;
  /// The work of all ranks together for schedules in which a slower layout may
  /// fill more of the gaps, without the tail.
  Nanoseconds unfilledWork(const UnfilledTimeEnvelope &unfilled,
                           Nanoseconds recompute,
                           Nanoseconds communication) const;

  /// The time of a message from stage to stage, by its size.
  std::map<Bytes, Nanoseconds> messages;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_LAYOUTBOUND_H
