// SPDX-License-Identifier: Apache-2.0

#include "ConfigurationSearch.h"
#include "../Bounds/MemoryRelevance.h"
#include "VariantSearch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace shardsmith::search {

/// The search of one configuration. Candidates are visited in a fixed order,
/// and the first of equally good ones wins.
class ConfigurationSearch::Run {
public:
  Run(ConfigurationSearch &search, const ParallelConfiguration &degrees,
      Nanoseconds atMost, Nanoseconds best, bool isHeuristic,
      const Scope &scope = {})
      : search(search), constraints(search.constraints), degrees(degrees),
        most(atMost), best(best), isHeuristic(isHeuristic),
        layouts(scope.layouts),
        variants(search.context, constraints, search.units, search.cuts,
                 search.activationBudgets, this->degrees, most, result.counts),
        variantSearch(search.context, constraints, search.units, search.cuts,
                      variants, search.mustStop, isHeuristic, scope.playEffort,
                      most, result.counts) {
    constexpr auto plain = size_t(ScheduleFamily::OneForwardOneBackward);
    if (scope.schedules == Schedules::Plain)
      for (size_t family = 0; family < scheduleFamilies; ++family)
        constraints.schedules[family] &= family == plain;
  }

  ConfigurationResult take() {
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (search.mustStop())
        result.isPartial = true;
      else if (auto ideals = idealsOf(outer, placement))
        visitVariants(outer, placement, *ideals);
      return !result.isPartial && !isHeuristic;
    });
    result.best = variantSearch.take();
    result.comparisons = IdleLayouts::configurationEffort - idleEffort;
    // The search proper looks again at what the primal heuristic has left out.
    if (!isHeuristic)
      result.leastLeft =
          std::min(result.leastLeft, variantSearch.leastOfOthers());
    if (result.isPartial && variantSearch.isSpent()) {
      result.isPartial = false;
      result.postponed = LayoutScope::All;
      result.leastLeft = Nanoseconds::saturated();
    }
    return std::move(result);
  }

  Nanoseconds relaxedBound() {
    Nanoseconds least = Nanoseconds::saturated();
    for (const Strategy &outer :
         withMethods(degrees.strategy(), degrees, constraints)) {
      const Placement &placement = search.placements.relaxed(outer);
      // Without a choice of methods ops were bounded before.
      Nanoseconds bound = timeBound(outer, placement, degrees.hasMethods());
      if (bound.isSaturated())
        continue;
      const ChainSums &sums = *search.relaxedIdeals(outer).sums().anywhere;
      bound = std::max(bound, search.configurationBounds.ofIdeal(outer, sums));
      if (bound <= most)
        bound = std::max(bound, variants.relaxedBound(outer, sums));
      if (bound <= most)
        least = std::min(least, bound);
    }
    return least;
  }

  Nanoseconds variantBound() {
    Nanoseconds least = Nanoseconds::saturated();
    eachVariant([&](const VariantBounds::OpenVariant &variant) {
      least = std::min(least, variant.bound);
    });
    return least;
  }

  void eachVariant(
      const std::function<void(const VariantBounds::OpenVariant &)> &visit) {
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (auto ideals = idealsOf(outer, placement))
        eachOpenVariant(outer, *ideals,
                        [&](const VariantBounds::OpenVariant &variant) {
                          visit(variant);
                          return true;
                        });
      return true;
    });
  }

  Nanoseconds unitBound() {
    Nanoseconds least = Nanoseconds::saturated();
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      least = std::min(least, timeBound(outer, placement));
      return true;
    });
    return least;
  }

private:
  /// Calls `visit(outer, placement)` until it returns false.
  template <typename Visit> void eachPlacement(Visit visit) {
    for (const Placement &placement : search.placements.of(degrees)) {
      Strategy ordered = degrees.strategy();
      ordered.deviceOrder = placement.order;
      for (const Strategy &outer : withMethods(ordered, degrees, constraints))
        if (!visit(outer, placement))
          return;
    }
  }

  /// The bound by the fastest layouts; saturated as soon as that, or a cheaper
  /// bound, is above the limit. The block with most units is bounded first.
  Nanoseconds timeBound(const Strategy &outer, const Placement &placement,
                        bool withOps = true) const {
    std::vector<Nanoseconds> times(search.blocksByUnits.size());
    Nanoseconds bound;
    auto isWithin = [&](size_t block, Nanoseconds time) {
      times[block] = time;
      bound = search.configurationBounds.ofTimes(degrees, times);
      return bound <= most;
    };
    std::optional<unsigned> kind;
    if (degrees.kind)
      kind = degrees.kind->pool;
    constexpr std::array bounds = {
        &UnitBounds::ops, &UnitBounds::fastestButExperts, &UnitBounds::fastest};
    for (auto time : std::span(bounds).subspan(withOps ? 0 : 1))
      for (size_t block : search.blocksByUnits)
        if (!isWithin(block,
                      (search.unitBounds.*time)(workload::BlockIndex(block),
                                                kind, outer, placement)))
          return Nanoseconds::saturated();
    return bound;
  }

  /// The ideals of the chain; nothing if the fastest layouts, with the
  /// recomputation that memory enforces where all devices are equal, are above
  /// the limit.
  std::optional<PoolIdeals> idealsOf(const Strategy &outer,
                                     const Placement &placement) const {
    if (timeBound(outer, placement).isSaturated())
      return std::nullopt;
    PoolIdeals ideals = search.unitBounds.chains(outer, placement);
    if (ideals.sums().onPool.size() == 1 &&
        search.configurationBounds.ofIdeal(outer, *ideals.sums().anywhere) >
            most)
      return std::nullopt;
    return ideals;
  }

  PoolSums sumsOf(const PoolIdeals &ideals) const {
    return degrees.kind ? ideals.sumsOn(degrees.kind->pool) : ideals.sums();
  }

  /// Calls `visit` for the variants that are open with the ideal layout, until
  /// it returns false.
  template <typename Visit>
  void eachOpenVariant(const Strategy &outer, const PoolIdeals &ideals,
                       Visit visit) {
    variants.eachOpen(outer, sumsOf(ideals), visit);
  }

  /// The largest bound among the variants that the primal heuristic looks at,
  /// which are those with the least bounds.
  Nanoseconds heuristicBound(const Strategy &outer, const PoolIdeals &ideals) {
    std::vector<Nanoseconds> bounds;
    eachOpenVariant(outer, ideals,
                    [&](const VariantBounds::OpenVariant &variant) {
                      bounds.push_back(variant.bound);
                      return true;
                    });
    std::ranges::sort(bounds);
    return bounds.size() > heuristicVariants ? bounds[heuristicVariants - 1]
                                             : Nanoseconds::saturated();
  }

  const LayoutList &allLayouts(const Strategy &outer,
                               const Placement &placement) {
    bool isRoomy =
        isMemoryIrrelevant(search.context, constraints, degrees, outer,
                           search.layouts.mostMemory(outer, placement));
    return search.layouts.of(outer, placement,
                             isRoomy ? Compare::AllButMemory : Compare::All);
  }

  void visitVariants(const Strategy &outer, const Placement &placement,
                     const PoolIdeals &ideals) {
    Nanoseconds largest =
        isHeuristic ? heuristicBound(outer, ideals) : Nanoseconds::saturated();
    const LayoutList *list = nullptr;
    std::optional<LayoutList> few;
    std::optional<CandidateLayouts> offer;
    bool hasIdleVariants = false;
    eachOpenVariant(
        outer, ideals, [&](const VariantBounds::OpenVariant &variant) {
          if (variant.bound > largest)
            return true;
          if (!list) {
            list = isHeuristic
                       ? &few.emplace(search.layouts.few(outer, placement))
                       : &allLayouts(outer, placement);
            offer = isHeuristic ? CandidateLayouts::fewOf(*list)
                                : CandidateLayouts(*list);
          }
          // Once `mustStop` returns true, layouts may be missing.
          result.isPartial |=
              search.mustStop() || (layouts != LayoutScope::Further &&
                                    !variantSearch.visit(variant, *offer));
          if (!isHeuristic && variantSearch.isTruncated())
            result.leastLeft = std::min(result.leastLeft, variant.bound);
          hasIdleVariants |= variant.bound <= best &&
                             search.idleLayouts.reasons(variant.outer).areAny();
          return !result.isPartial;
        });
    if (!list || isHeuristic)
      return;
    result.isLimited |= variantSearch.isBounded(*list);
    if (!list->isWhole()) {
      leaveVariants(outer, ideals);
      return;
    }
    // Further layouts are made for a plan that they may beat; those that were
    // postponed have one, of another configuration.
    bool isThereAPlan = !most.isSaturated() || layouts == LayoutScope::Further;
    bool mayGain = hasIdleVariants && list->all();
    if (!isThereAPlan || !mayGain)
      return;
    if (layouts == LayoutScope::Tables)
      result.postponed = LayoutScope::Further;
    else
      visitIdleVariants(outer, placement, ideals, *list);
  }

  /// Notes that layouts of the open variants were left out; they may be as fast
  /// as the bounds of the variants.
  void leaveVariants(const Strategy &outer, const PoolIdeals &ideals) {
    eachOpenVariant(
        outer, ideals, [&](const VariantBounds::OpenVariant &variant) {
          result.leastLeft = std::min(result.leastLeft, variant.bound);
          return true;
        });
  }

  /// Schedules that tell the passes apart, and ranks that wait for parameters,
  /// may gain from other layouts than `known`. These are made for the best plan
  /// there is; without one, not even of this configuration, the smallest
  /// layouts do not fit, and those are known.
  void visitIdleVariants(const Strategy &outer, const Placement &placement,
                         const PoolIdeals &ideals, const LayoutList &known) {
    if (result.isPartial)
      return;
    if (!search.idleLayouts.areWithinLimits(outer, placement)) {
      leaveVariants(outer, ideals);
      return;
    }
    ExposedExchange waiting(known, search.units, search.models.pools(),
                            search.context.profile.parameterGatherExposure);
    eachOpenVariant(
        outer, ideals, [&](const VariantBounds::OpenVariant &variant) {
          Nanoseconds limit = std::min(most, best);
          if (variant.bound > limit ||
              !search.idleLayouts.reasons(variant.outer).areAny())
            return true;
          LayoutBound::Least beside =
              variants.leastAnywhere(variant, *sumsOf(ideals).anywhere);
          IdleLayouts::Reasons reasons = search.idleLayouts.reasons(
              variant, waiting, beside.totals,
              variants.sequencesOf(variant.outer), limit);
          if (!reasons.areAny())
            return true;
          auto [tables, isNew] = idleTablesBy.try_emplace(
              {variant.outer.schedule, variant.outer.virtualStages, reasons,
               &known});
          if (isNew) {
            tables->second = search.idleLayouts.tablesOf(
                variant.outer, reasons, placement,
                variants.sequencesOf(variant.outer));
            result.counts.blockTables +=
                int64_t(search.context.workload.blocks.size());
          }
          if (search.mustStop()) {
            result.isPartial = true;
            return false;
          }
          auto [list, covered] = search.idleLayouts.of(
              *tables->second, variant.bound, limit, beside, known, idleEffort);
          CandidateLayouts offer(list);
          result.isPartial |= !variantSearch.visit(variant, offer);
          if (variantSearch.isTruncated())
            result.leastLeft = std::min(result.leastLeft, variant.bound);
          if (covered < std::min(most, best))
            result.leastLeft =
                std::min(result.leastLeft,
                         std::max(variant.bound, covered + Nanoseconds(1)));
          return !result.isPartial;
        });
  }

  static constexpr size_t heuristicVariants = 4;

  ConfigurationSearch &search;
  SearchConstraints constraints;
  ParallelConfiguration degrees;
  /// Of two equally fast strategies the first one counts: once there is one,
  /// the next must be faster.
  Nanoseconds most;
  /// The step of the incumbent, whatever its configuration.
  Nanoseconds best;
  /// Whether this run is the primal heuristic, which looks only at the usual
  /// device order, few variants and few layouts.
  bool isHeuristic;
  /// Further layouts that this leaves out are postponed.
  LayoutScope layouts;
  /// The comparisons that are left for further layouts (IdleLayouts.h).
  int64_t idleEffort = IdleLayouts::configurationEffort;
  /// The tables of further layouts. The key is the schedule, the stages per
  /// rank, the reasons, and the list of known layouts, which all device orders
  /// with equal paths share.
  std::map<std::tuple<ScheduleFamily, int64_t, IdleLayouts::Reasons,
                      const LayoutList *>,
           std::shared_ptr<IdleLayouts::Tables>>
      idleTablesBy;
  ConfigurationResult result;
  VariantBounds variants;
  VariantSearch variantSearch;
};

ConfigurationSearch::ConfigurationSearch(
    const CostContext &context, const SearchConstraints &constraints,
    const std::vector<ParallelConfiguration> &configurations, unsigned threads,
    std::function<bool()> mustStop)
    : context(context), constraints(constraints), mustStop(std::move(mustStop)),
      units(context.workload, constraints), cuts(units, constraints.stageSizes),
      placements(context, constraints, configurations),
      models(context, constraints, placements),
      unitBounds(models, units, constraints, threads),
      configurationBounds(context, constraints, units, placements, unitBounds),
      layouts(context, models, constraints, this->mustStop),
      idleLayouts(context, models, units, constraints, this->mustStop) {
  const std::vector<int64_t> &counts = units.unitsOfBlocks();
  blocksByUnits.resize(counts.size());
  std::iota(blocksByUnits.begin(), blocksByUnits.end(), 0);
  std::ranges::sort(blocksByUnits, [&](size_t a, size_t b) {
    return std::pair(-counts[a], a) < std::pair(-counts[b], b);
  });
}

ConfigurationResult
ConfigurationSearch::run(const ParallelConfiguration &degrees,
                         Nanoseconds atMost, Nanoseconds best,
                         const Scope &scope) {
  return Run(*this, degrees, atMost, best, false, scope).take();
}

ConfigurationResult
ConfigurationSearch::heuristic(const ParallelConfiguration &degrees,
                               Nanoseconds atMost, Nanoseconds best) {
  return Run(*this, degrees, atMost, best, true).take();
}

const PoolIdeals &ConfigurationSearch::relaxedIdeals(const Strategy &outer) {
  return *knownIdeals.of(unitKey(outer.microBatch, outer.unit()), [&] {
    return std::make_unique<PoolIdeals>(
        unitBounds.chains(outer, placements.relaxed(outer)));
  });
}

Nanoseconds
ConfigurationSearch::relaxedBound(const ParallelConfiguration &degrees,
                                  Nanoseconds atMost) {
  if (context.topology.pools().size() > 1)
    return {};
  return Run(*this, degrees, atMost, atMost, false).relaxedBound();
}

void ConfigurationSearch::eachVariant(
    const ParallelConfiguration &degrees, Nanoseconds atMost,
    const std::function<void(const VariantBounds::OpenVariant &)> &visit) {
  Run(*this, degrees, atMost, atMost, false).eachVariant(visit);
}

Nanoseconds
ConfigurationSearch::unitBound(const ParallelConfiguration &degrees) {
  constexpr Nanoseconds any = Nanoseconds::saturated();
  return Run(*this, degrees, any, any, false).unitBound();
}

Nanoseconds
ConfigurationSearch::variantBound(const ParallelConfiguration &degrees,
                                  Nanoseconds atMost) {
  return Run(*this, degrees, atMost, atMost, false).variantBound();
}

} // namespace shardsmith::search
