// SPDX-License-Identifier: Apache-2.0
//
// The variants of one configuration under a device order: its schedules and
// ZeRO stages, with lower bounds on what layouts may reach in them. A variant
// is open while its bound is within the limit.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_VARIANTBOUNDS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_VARIANTBOUNDS_H

#include "../Chains/PoolSums.h"
#include "../Space/PoolSequences.h"
#include "../Space/Space.h"
#include "LayoutBound.h"
#include "PipelineMakespanBound.h"

#include "shardsmith/Plan/Support/SearchCounts.h"

#include <functional>

namespace shardsmith::search {

class VariantBounds {
public:
  /// All arguments must outlive this object. `most` is the limit: steps above
  /// it are not wanted. It is read whenever something is bounded, and may fall
  /// in between.
  VariantBounds(const CostContext &context,
                const SearchConstraints &constraints, const Chain &chain,
                CutLists &cuts, ActivationBudgetTable &activationBudgets,
                const ParallelConfiguration &degrees, const Nanoseconds &most,
                SearchCounts &counts)
      : context(context), constraints(constraints), chain(chain), cuts(cuts),
        activationBudgets(activationBudgets), degrees(degrees), most(most),
        counts(counts) {}

  /// A variant that may be fast enough: with the sums that it was asked for its
  /// step is at least `bound`, which is within the limit. `bounds` are for
  /// layouts in it, per pool.
  struct OpenVariant {
    const Strategy &outer;
    const StepModel &model;
    std::vector<LayoutBound> &bounds;
    Nanoseconds bound;
  };
  /// Calls `visit` for the variants that are open for a layout with the sums
  /// `least`, until it returns false. `least` is the ideal of the layouts to
  /// come.
  void eachOpen(const Strategy &outer, const PoolSums &least,
                const std::function<bool(const OpenVariant &)> &visit);
  /// A bound on the variants of all device orders, for layouts that have at
  /// least the sums `least`; saturated if no variant is open. It holds on one
  /// device kind.
  Nanoseconds relaxedBound(const Strategy &outer, const ChainSums &least);

  /// A bound on layouts with these sums on ranks of these pools; nothing if no
  /// such layout fits.
  std::optional<Nanoseconds> boundOf(const std::vector<unsigned> &pools,
                                     const StepModel &model,
                                     const PoolSums &sums,
                                     Nanoseconds bottleneck,
                                     std::vector<LayoutBound> &bounds) const;
  /// What the variant needs at least with a layout that has these sums, over
  /// all pools that its ranks may lie on. The layout must fit on some of them.
  LayoutBound::Least leastAnywhere(const OpenVariant &variant,
                                   const ChainSums &sums);
  /// Whether a candidate with this bound is within the limit. The call counts
  /// it as a candidate, and as excluded or too large if it is that.
  bool isOpen(std::optional<Nanoseconds> bound);
  /// Counts candidates that are excluded together, before each of them was
  /// bounded. `why` is that member of the counts which says for what reason.
  void countOut(int64_t &why, size_t candidates) {
    counts.candidates += int64_t(candidates);
    why += int64_t(candidates);
  }
  /// `bottleneckBound` with every unit on the device kind where it takes least.
  Nanoseconds bottleneckOf(const PoolSums &sums, const Strategy &outer) const;

  /// A bound on the time per micro-batch of the busiest of ranks on these
  /// pools, over the listed cuts; 0 if all cuts are looked at
  /// (CutLists::areListed).
  Nanoseconds listedBottleneck(const Strategy &outer,
                               const std::vector<unsigned> &pools,
                               const PoolSums &sums) const;

  const PoolSequences &sequencesOf(const Strategy &outer);

private:
  std::optional<LayoutBound::Least>
  leastOn(const std::vector<unsigned> &kinds, const ChainSums &sums,
          Nanoseconds bottleneck, std::vector<LayoutBound> &bounds) const;
  std::optional<PipelineBound>
  makespanBound(const std::vector<unsigned> &pools, const StepModel &model,
                const PoolSums &sums, Nanoseconds atLeast,
                const std::vector<LayoutBound> &bounds) const;

  Bytes leastMemory(const Strategy &outer) const;
  bool hasMoreThanNeeded(const Strategy &outer) const;

  struct Schedule {
    ScheduleChoice choice;
    /// `bottleneckOf` the ideal.
    Nanoseconds bottleneck;
    /// Per pool.
    std::vector<const std::optional<ActivationBudgets> *> empty;
  };
  std::vector<Schedule> openSchedules(Strategy outer, const StepModel &likeThem,
                                      const PoolSums &least, size_t zeros);
  void eachOpen(Strategy outer, const std::vector<ZeroChoice> &zeros,
                StepModel::Links links, const PoolSums &least,
                const std::function<bool(const OpenVariant &)> &visit);

  const CostContext &context;
  const SearchConstraints &constraints;
  const Chain &chain;
  CutLists &cuts;
  ActivationBudgetTable &activationBudgets;
  const ParallelConfiguration &degrees;
  const Nanoseconds &most;
  SearchCounts &counts;
  /// The key is the device order.
  std::map<std::vector<PlanAxis>, PoolSequences> sequencesBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_VARIANTBOUNDS_H
