// SPDX-License-Identifier: Apache-2.0
//
// Further layouts, beside those that are worth having for the sum of forward
// and backward pass (ChainLayouts.h). A schedule that treats the passes
// differently may gain from a layout with more weight gradients, and ranks that
// wait for parameters (ZeRO) from one that communicates less. There may be very
// many such layouts, so only those are made that may beat the incumbent in one
// variant. Its work is
//
//     work = M · max over ranks of time + idle / (p · v) + …
//
// with p ranks of v stages and M micro-batches. Summed over all units it is at
// least M · Σ time / p, and at least a multiple of Σ share (IdleWeights.h).
// Subtracting what the other blocks have at least leaves a limit of both sums
// for the layouts of one block.
//
// On several device kinds the ranks are weighted. For any weights λ ≥ 0 per
// kind, with Λ their sum over all ranks,
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
  /// The most comparisons of layouts for one configuration, which take a few
  /// seconds at most.
  static constexpr int64_t configurationEffort = int64_t(1) << 29;

  /// All arguments must outlive this object. Once `mustStop` returns true,
  /// tables may lack blocks, and too many layouts are found everywhere.
  IdleLayouts(const CostContext &context, const UnitModels &models,
              const Chain &chain, const SearchConstraints &constraints,
              const std::function<bool()> &mustStop);

  /// Whether all blocks are small enough for sums over all of their layouts. If
  /// not, no tables may be asked for.
  bool areWithinLimits(const Strategy &outer, const Placement &placement) const;

  /// Why further layouts may be worth having in a variant: because of its
  /// schedule, or because of an exchange that ranks wait for.
  struct Reasons {
    bool schedule = false, exchange = false;
    bool areAny() const { return schedule || exchange; }
    auto operator<=>(const Reasons &) const = default;
  };
  /// The reasons that a strategy may have with some layouts.
  Reasons reasons(const Strategy &outer) const;
  /// The reasons of a variant for steps up to `most`. `waiting` is that of the
  /// known layouts, `least` the ideal of all layouts, and `sequences` are the
  /// ways in which ranks may lie on pools.
  Reasons reasons(const VariantBounds::OpenVariant &variant,
                  const ExposedExchange &waiting,
                  const StepModel::Totals &least,
                  const PoolSequences &sequences, Nanoseconds most) const;

  /// The tables that variants with one schedule under one setting share; they
  /// remember what they were asked.
  class Tables;
  /// The tables for the schedule of `outer`, whose ranks may lie on pools as
  /// `sequences` say.
  std::shared_ptr<Tables> tablesOf(const Strategy &outer, Reasons reasons,
                                   const Placement &placement,
                                   const PoolSequences &sequences) const;

  /// The layouts that may reach a step of `covered` and are not in `known`.
  struct Found {
    LayoutList list;
    Nanoseconds covered;
  };
  /// Finds further layouts for steps from the bound `least` up to `most`.
  /// `covered` is `most` unless there are too many layouts; then it is between
  /// `least` and `most`, or just below `least`. `beside` is what all layouts
  /// need beside their own time. `effort` is the number of comparisons left to
  /// the configuration, of which one call takes at most half of
  /// `configurationEffort`.
  Found of(Tables &tables, Nanoseconds least, Nanoseconds most,
           const LayoutBound::Least &beside, const LayoutList &known,
           int64_t &effort) const;

private:
  /// The layouts within `most`; nothing if there are too many.
  std::optional<LayoutList> within(Tables &tables, Nanoseconds most,
                                   const LayoutBound::Least &beside,
                                   const LayoutList &known,
                                   int64_t &effort) const;

  const CostContext &context;
  const UnitModels &models;
  const Chain &chain;
  const SearchConstraints &constraints;
  const std::function<bool()> &mustStop;
  /// Lists keep no groups, since each of them is looked at once.
  mutable LayoutCache noRoom = 0;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_IDLELAYOUTS_H
