// SPDX-License-Identifier: Apache-2.0
//
// Layouts for schedules that tell the passes apart, beside those that are worth
// having for the sum of the passes (ChainLayouts.h). There may be many, so they
// are made for one row and the step that a plan is known for:
//
//     work = M · max over ranks of time + idle / (p · v) + …
//
// With sums over all units, p ranks and M micro-batches, work is at least
// M · Σ time / p, and at least what it is by the shares of passes that gaps
// hide (IdleWeights.h). What other blocks have at least leaves a block the
// rest.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_IDLELAYOUTS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_IDLELAYOUTS_H

#include "LayoutBound.h"
#include "LayoutList.h"
#include "UnitModels.h"

namespace shardsmith::search {

class IdleLayouts {
public:
  /// Comparisons of layouts for one class: a few seconds at most.
  static constexpr int64_t classEffort = int64_t(1) << 29;

  /// All must outlive this.
  IdleLayouts(const CostContext &context, const UnitModels &models,
              const Chain &chain, const SearchConstraints &constraints);

  /// Whether a row with this schedule may have other layouts worth having.
  bool areMore(const Strategy &outer) const;

  /// What rows with one schedule under one setting share; remembers what it
  /// was asked.
  class Tables;
  /// On one kind of device. `outer`: with the schedule.
  std::shared_ptr<Tables> tablesOf(const Strategy &outer,
                                   const Placement &placement) const;

  /// Those that may reach a step of `covered` and are not in `known`.
  struct Found {
    LayoutList list;
    Nanoseconds covered;
  };
  /// `covered` is `most`, unless there are too many layouts for that; then it
  /// is between `least` and `most`, or just below `least`. `beside`: what all
  /// layouts need beside their own time. `effort`: comparisons that are left;
  /// at most half of what a class has is taken.
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
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_IDLELAYOUTS_H
