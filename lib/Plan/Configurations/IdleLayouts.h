// SPDX-License-Identifier: Apache-2.0
//
// Layouts beside those that are worth having for the sum of the passes
// (ChainLayouts.h): for schedules that tell the passes apart, and for ranks
// that wait for parameters (ZeRO), which kernels hide. There may be many, so
// they are made for one variant and the step that a plan is known for:
//
//     work = M · max over ranks of time + idle / (p · v) + …
//
// With sums over all units, p ranks and M micro-batches, work is at least
// M · Σ time / p, and at least what it is by the shares of passes that gaps
// hide (IdleWeights.h). What other blocks have at least leaves a block the
// rest.
//
// On several kinds of device a rank that takes longer for everything counts
// less. With any weights λ ≥ 0 per kind, and Λ their sum over all ranks,
//
//     Λ · max time >= Σ over ranks of λ · time
//                  >= Σ over blocks of units · least over kinds of λ · time

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_IDLELAYOUTS_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_IDLELAYOUTS_H

#include "../Bounds/ExposedExchange.h"
#include "../Bounds/LayoutBound.h"
#include "../Bounds/VariantBounds.h"
#include "../Chains/LayoutList.h"
#include "../Chains/UnitModels.h"

namespace shardsmith::search {

class IdleLayouts {
public:
  /// Comparisons of layouts for one configuration: a few seconds at most.
  static constexpr int64_t configurationEffort = int64_t(1) << 29;

  /// All must outlive this.
  IdleLayouts(const CostContext &context, const UnitModels &models,
              const Chain &chain, const SearchConstraints &constraints);

  /// Whether blocks are small enough for sums over all their layouts; if not,
  /// there are no tables for them.
  bool areWithinLimits(const Strategy &outer, const Placement &placement) const;

  /// Why a variant may have other layouts worth having.
  struct Reasons {
    bool schedule = false, exchange = false;
    bool areAny() const { return schedule || exchange; }
    auto operator<=>(const Reasons &) const = default;
  };
  /// Whatever the layouts.
  Reasons reasons(const Strategy &outer) const;
  /// Of a variant, for steps up to `most`. `waiting`: of the layouts that are
  /// known. `least`: what every layout has. `sequences`: how ranks may be
  /// spread over pools.
  Reasons reasons(const VariantBounds::OpenVariant &variant,
                  const ExposedExchange &waiting,
                  const StepModel::Totals &least,
                  const PoolSequences &sequences, Nanoseconds most) const;

  /// What variants with one schedule under one setting share; remembers what it
  /// was asked.
  class Tables;
  /// `outer`: with the schedule. `sequences`: how ranks may be spread over
  /// pools.
  std::shared_ptr<Tables> tablesOf(const Strategy &outer, Reasons reasons,
                                   const Placement &placement,
                                   const PoolSequences &sequences) const;

  /// Those that may reach a step of `covered` and are not in `known`.
  struct Found {
    LayoutList list;
    Nanoseconds covered;
  };
  /// `covered` is `most`, unless there are too many layouts for that; then it
  /// is between `least` and `most`, or just below `least`. `beside`: what all
  /// layouts need beside their own time. `effort`: comparisons that are left;
  /// at most half of what a configuration has is taken.
  Found of(Tables &tables, Nanoseconds least, Nanoseconds most,
           const LayoutBound::Least &beside, const LayoutList &known,
           int64_t &effort) const;

private:
  /// Nothing if there are too many.
  std::optional<LayoutList> within(Tables &tables, Nanoseconds most,
                                   const LayoutBound::Least &beside,
                                   const LayoutList &known,
                                   int64_t &effort) const;

  const CostContext &context;
  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  /// Every list is looked at once.
  mutable LayoutCache noRoom = 0;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_IDLELAYOUTS_H
