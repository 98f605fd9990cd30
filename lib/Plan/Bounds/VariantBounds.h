// SPDX-License-Identifier: Apache-2.0
//
// The variants of one configuration: its schedules and ZeRO stages, with bounds
// on what layouts may reach in them.

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
  /// All must outlive this. Steps above `most` are not wanted; it is read
  /// whenever something is bounded, and may fall meanwhile.
  VariantBounds(const CostContext &context,
                const SearchConstraints &constraints, const Chain &chain,
                CutLists &cuts, ActivationBudgetTable &activationBudgets,
                const ParallelConfiguration &degrees, const Nanoseconds &most,
                SearchCounts &counts)
      : context(context), constraints(constraints), chain(chain), cuts(cuts),
        activationBudgets(activationBudgets), degrees(degrees), most(most),
        counts(counts) {}

  /// A variant may be fast enough with a layout that has these sums. `bounds`:
  /// for layouts in it, per pool.
  struct OpenVariant {
    const Strategy &outer;
    const StepModel &model;
    std::vector<LayoutBound> &bounds;
    Nanoseconds bound;
  };
  /// Calls `visit` for open variants until it returns false. `least`: what no
  /// layout has less of.
  void eachOpen(const Strategy &outer, const PoolSums &least,
                const std::function<bool(const OpenVariant &)> &visit);
  /// A bound on the variants of all device orders, if no layout in any of them
  /// has less than `least`; saturated if none may be fast enough. On one kind
  /// of device.
  Nanoseconds relaxedBound(const Strategy &outer, const ChainSums &least);

  /// A bound on layouts with these sums on ranks of these pools; nothing if
  /// none fits.
  std::optional<Nanoseconds> boundOf(const std::vector<unsigned> &pools,
                                     const StepModel &model,
                                     const PoolSums &sums,
                                     Nanoseconds bottleneck,
                                     std::vector<LayoutBound> &bounds) const;
  /// What the variant needs at least, whichever pools its ranks are on, with a
  /// layout that has these sums; some must have room.
  LayoutBound::Least leastAnywhere(const OpenVariant &variant,
                                   const ChainSums &sums);
  /// Whether something with this bound may be wanted; it is counted as a
  /// candidate.
  bool isOpen(std::optional<Nanoseconds> bound);
  /// So many candidates are out before they were bounded one by one. `why`: of
  /// the counts.
  void countOut(int64_t &why, size_t candidates) {
    counts.candidates += int64_t(candidates);
    why += int64_t(candidates);
  }
  /// `bottleneckBound`, wherever units lie.
  Nanoseconds bottleneckOf(const PoolSums &sums, const Strategy &outer) const;

  /// Per micro-batch, of the busiest of ranks on these pools, if only listed
  /// cuts are looked at; else 0.
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

  struct Schedule {
    ScheduleChoice choice;
    /// `bottleneckOf` the least there is.
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
  /// By device order.
  std::map<std::vector<PlanAxis>, PoolSequences> sequencesBy;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_VARIANTBOUNDS_H
