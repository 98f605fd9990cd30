// SPDX-License-Identifier: Apache-2.0

#include "ClassSearch.h"
#include "LayoutBound.h"
#include "StagePartition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace shardsmith::search {

std::vector<std::vector<unsigned>> poolSequences(const CostContext &context,
                                                 const Strategy &outer) {
  size_t pools = context.topology.pools().size();
  if (pools == 1)
    return {std::vector<unsigned>(size_t(outer.pipeline), 0)};
  AxisPaths paths(context.topology, outer);
  std::vector<unsigned> order(pools);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<unsigned>> sequences;
  std::vector<unsigned> sequence;
  std::function<void(size_t)> extend = [&](size_t place) {
    int64_t left = outer.pipeline - int64_t(sequence.size());
    if (place == pools) {
      if (left == 0 &&
          std::ranges::find(sequences, sequence) == sequences.end())
        sequences.push_back(sequence);
      return;
    }
    int64_t room = std::min(left, paths.blocksOn(order[place]));
    for (int64_t count = 0; count <= room; ++count) {
      sequence.insert(sequence.end(), size_t(count), order[place]);
      extend(place + 1);
      sequence.resize(sequence.size() - size_t(count));
    }
  };
  do
    extend(0);
  while (std::ranges::next_permutation(order).found);
  return sequences;
}

/// One class; candidates are visited in a fixed order, and the first of equally
/// good ones wins.
class ClassSearch::Run {
public:
  Run(ClassSearch &search, const DegreeClass &degrees, Nanoseconds atMost,
      bool isScout)
      : search(search), degrees(degrees), limit(atMost), isScout(isScout),
        kernels(search.floors.kernels(degrees)) {}

  ClassResult take() {
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (search.mustStop())
        result.isPartial = true;
      else if (!layoutBound(outer, placement).isSaturated())
        visitRows(outer, placement);
      return !result.isPartial && !isScout;
    });
    return std::move(result);
  }

  Nanoseconds layoutBound() {
    Nanoseconds least = Nanoseconds::saturated();
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (placement.isFirstWithLinks)
        least = std::min(least, layoutBound(outer, placement));
      return true;
    });
    return least;
  }

  Nanoseconds rowBound() {
    Nanoseconds least = Nanoseconds::saturated();
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (!layoutBound(outer, placement).isSaturated())
        eachOpenRow(outer, placement,
                    [&](const Strategy &, const StepModel &,
                        std::vector<LayoutBound> &,
                        Nanoseconds bound) { least = std::min(least, bound); });
      return true;
    });
    return least;
  }

private:
  /// Calls `visit(outer, placement)` until it returns false.
  template <typename Visit> void eachPlacement(Visit visit) {
    for (const Placement &placement : search.placements.of(degrees)) {
      Strategy outer = degrees.strategy();
      outer.deviceOrder = placement.order;
      for (ContextMethod method :
           {ContextMethod::Ring, ContextMethod::AllToAll}) {
        bool isOnly = degrees.context == 1;
        if (isOnly ? method == ContextMethod::AllToAll
                   : !search.constraints.contextMethods[size_t(method)])
          continue;
        outer.contextMethod = method;
        if (!visit(outer, placement))
          return;
      }
    }
  }

  /// Of the fastest layouts; saturated if they are not fast enough. The block
  /// with most units is looked at first: of the others kernels alone may do.
  Nanoseconds layoutBound(const Strategy &outer,
                          const Placement &placement) const {
    std::vector<Nanoseconds> times = kernels;
    Nanoseconds bound;
    for (size_t block : search.blocksByUnits) {
      times[block] =
          search.floors.fastest(workload::BlockIndex(block), outer, placement);
      bound = search.bound(degrees, times);
      if (!isBetter(bound))
        return Nanoseconds::saturated();
    }
    return bound;
  }

  /// Rows are schedules and ZeRO stages. Calls `visit(outer, model,
  /// bounds, bound)` for
  /// those that may be fast enough with a layout that has the least of
  /// everything.
  template <typename Visit>
  void eachOpenRow(Strategy outer, const Placement &placement, Visit visit) {
    const CostContext &context = search.context;
    std::vector<std::unique_ptr<ChainFloor>> floors =
        search.floors.chains(outer, placement);
    std::vector<const ChainSums *> sums;
    for (const std::unique_ptr<ChainFloor> &floor : floors)
      sums.push_back(&floor->sums());
    // By whether ranks have several stages.
    std::array<Nanoseconds, 2> bottlenecks;
    AxisPaths paths(context.topology, outer);
    std::vector<ZeroRow> zeros =
        zeroRows(degrees, paths.replicas(1, degrees.data * degrees.context, 0),
                 search.constraints);
    std::vector<ScheduleRow> schedules =
        scheduleRows(context.workload, degrees, search.constraints);
    // Rows with the same ZeRO group differ in nothing else that takes time to
    // find out.
    std::map<int64_t, StepModel> models;
    for (const ZeroRow &zero : zeros) {
      outer.zeroStage = zero.stage;
      outer.zeroGroup = zero.group;
      auto likeIt = models.try_emplace(zero.group, context, outer).first;
      std::vector<ParameterPrices> prices;
      for (unsigned pool = 0; pool < sums.size(); ++pool)
        prices.emplace_back(pool);
      for (const ScheduleRow &schedule : schedules) {
        outer.schedule = schedule.family;
        outer.virtualStages = schedule.virtualStages;
        StepModel model(likeIt->second, outer);
        std::vector<LayoutBound> bounds = layoutBounds(outer, model, prices);
        Nanoseconds &bottleneck = bottlenecks[outer.virtualStages > 1];
        if (bottleneck == Nanoseconds())
          bottleneck = bottleneckOf(sums, outer);
        Nanoseconds least = Nanoseconds::saturated();
        for (const std::vector<unsigned> &pools : sequencesOf(outer))
          if (auto bound = boundOf(pools, model, sums, bottleneck, bounds);
              isOpen(bound, 1))
            least = std::min(least, *bound);
        if (!least.isSaturated())
          visit(outer, model, bounds, least);
        if (result.isPartial)
          return;
      }
    }
  }

  /// On the kind of device where it is least.
  Nanoseconds bottleneckOf(const std::vector<const ChainSums *> &sums,
                           const Strategy &outer) const {
    Nanoseconds least = Nanoseconds::saturated();
    for (const ChainSums *each : sums)
      least = std::min(least,
                       leastBottleneck(search.units, each->unitTimes, outer));
    return least;
  }

  /// The ways to spread the pipeline over pools.
  const std::vector<std::vector<unsigned>> &sequencesOf(const Strategy &outer) {
    auto [entry, isNew] = sequencesBy.try_emplace(outer.deviceOrder);
    if (isNew)
      entry->second = poolSequences(search.context, outer);
    return entry->second;
  }

  /// Per pool.
  std::vector<LayoutBound> layoutBounds(const Strategy &outer,
                                        const StepModel &model,
                                        std::vector<ParameterPrices> &prices) {
    std::vector<LayoutBound> bounds;
    bounds.reserve(prices.size());
    for (unsigned pool = 0; pool < prices.size(); ++pool)
      bounds.emplace_back(model, outer, search.constraints.recompute, pool,
                          search.emptyRanks.of(model, outer, pool),
                          prices[pool],
                          result.best ? result.best->step : limit);
    return bounds;
  }

  void visitRows(const Strategy &fixed, const Placement &placement) {
    const LayoutList *list = nullptr;
    // A scout looks at the rows with the least bounds.
    Nanoseconds most = Nanoseconds::saturated();
    if (isScout) {
      std::vector<Nanoseconds> all;
      eachOpenRow(fixed, placement,
                  [&](const Strategy &, const StepModel &,
                      std::vector<LayoutBound> &,
                      Nanoseconds bound) { all.push_back(bound); });
      std::ranges::sort(all);
      if (all.size() > scoutedRows)
        most = all[scoutedRows - 1];
    }
    // By whether ranks have several stages.
    std::array<std::optional<std::vector<Place>>, 2> placesBy;
    eachOpenRow(fixed, placement,
                [&](const Strategy &outer, const StepModel &model,
                    std::vector<LayoutBound> &bounds, Nanoseconds bound) {
                  if (bound > most)
                    return;
                  if (!list)
                    list = &search.layouts.of(outer, placement);
                  std::optional<std::vector<Place>> &places =
                      placesBy[outer.virtualStages > 1];
                  if (!places)
                    places = placesOf(outer, list->layouts);
                  result.counts.candidates += int64_t(list->layouts.size());
                  result.counts.candidatesBoundedOut +=
                      int64_t(list->layouts.size() - places->size());
                  if (!places->empty())
                    visitRow(outer, model, bounds, *list, *places);
                });
  }

  /// A layout, and the least time per micro-batch of its busiest rank on the
  /// kind of device where that is least.
  struct Place {
    size_t layout;
    Nanoseconds bottleneck;
  };

  /// The layouts to look at: those whose kernels and communication alone are
  /// not above the limit.
  std::vector<Place> placesOf(const Strategy &outer,
                              const std::vector<ChainLayout> &layouts) const {
    int64_t batches =
        outer.microBatchCount(search.context.workload.globalBatch);
    StepOverhead overhead(search.context, degrees.ranks());
    auto isWithin = [&](Nanoseconds perMicroBatch) {
      return isBetter(overhead.step(perMicroBatch * batches));
    };
    std::vector<Place> places;
    for (size_t i : isScout ? twoOf(layouts) : allOf(layouts)) {
      const std::vector<ChainSums> &sums = layouts[i].sums;
      // Layouts are sorted by the time on the first kind of device.
      Nanoseconds even(ceilDivide(sums.front().time.count(), outer.pipeline));
      if (sums.size() == 1 && !isScout && !isWithin(even))
        break;
      std::vector<const ChainSums *> each;
      for (const ChainSums &ofPool : sums)
        each.push_back(&ofPool);
      Nanoseconds least = bottleneckOf(each, outer);
      if (isWithin(least))
        places.push_back({i, least});
    }
    return places;
  }

  static std::vector<size_t> allOf(const std::vector<ChainLayout> &layouts) {
    std::vector<size_t> all(layouts.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  /// The fastest one and the smallest one.
  static std::vector<size_t> twoOf(const std::vector<ChainLayout> &layouts) {
    auto smallest =
        std::ranges::min_element(layouts, {}, [](const ChainLayout &layout) {
          return layout.sums.front().leastSaved;
        });
    return {0, size_t(smallest - layouts.begin())};
  }

  /// A layout, the pools of the pipeline's ranks, and their bound.
  struct Open {
    Nanoseconds bound;
    size_t layout;
    const std::vector<unsigned> *pools;
  };

  void visitRow(const Strategy &outer, const StepModel &model,
                std::vector<LayoutBound> &bounds, const LayoutList &list,
                const std::vector<Place> &places) {
    std::vector<const ChainSums *> floors;
    for (const std::unique_ptr<ChainFloor> &floor : list.floors)
      floors.push_back(&floor->sums());
    Nanoseconds least =
        std::ranges::min(places, {}, &Place::bottleneck).bottleneck;
    std::vector<Open> open;
    for (const std::vector<unsigned> &pools : sequencesOf(outer)) {
      if (places.size() > 1 &&
          !isOpen(boundOf(pools, model, floors, least, bounds),
                  int64_t(places.size())))
        continue;
      for (auto [i, bottleneck] : places) {
        std::vector<const ChainSums *> sums;
        for (const ChainSums &each : list.layouts[i].sums)
          sums.push_back(&each);
        std::optional<Nanoseconds> bound =
            boundOf(pools, model, sums, bottleneck, bounds);
        if (isOpen(bound, 1))
          open.push_back({*bound, i, &pools});
      }
    }
    std::ranges::sort(open, [](const Open &a, const Open &b) {
      return std::tie(a.bound, a.layout, a.pools) <
             std::tie(b.bound, b.layout, b.pools);
    });
    for (const Open &each : open) {
      if (search.mustStop()) {
        result.isPartial = true;
        return;
      }
      visit(outer, model, list, each);
    }
  }

  /// Whether something with this bound may be better than what is known;
  /// counts `candidates` if not.
  bool isOpen(std::optional<Nanoseconds> bound, int64_t candidates) {
    if (bound && isBetter(*bound))
      return true;
    (bound ? result.counts.candidatesBoundedOut
           : result.counts.candidatesTooLarge) += candidates;
    return false;
  }

  /// Of a layout with these sums, per pool; nothing if it cannot fit. On mixed
  /// devices every part of the bound is that of the best of them.
  std::optional<Nanoseconds> boundOf(std::vector<unsigned> pools,
                                     const StepModel &model,
                                     const std::vector<const ChainSums *> &sums,
                                     Nanoseconds bottleneck,
                                     std::vector<LayoutBound> &bounds) const {
    std::optional<StepModel::Totals> best;
    pools.erase(std::ranges::unique(pools).begin(), pools.end());
    for (unsigned pool : pools) {
      std::optional<StepModel::Totals> totals =
          bounds[pool].totals(*sums[pool], bottleneck);
      if (!totals)
        continue;
      if (!best)
        best = totals;
      best->perMicroBatch =
          std::min(best->perMicroBatch, totals->perMicroBatch);
      best->idle = std::min(best->idle, totals->idle);
      best->tail = std::min(best->tail, totals->tail);
    }
    if (!best)
      return std::nullopt;
    Nanoseconds step = model.step(*best);
    if (!isBetter(step))
      return step;
    std::optional<Nanoseconds> busiest;
    for (unsigned pool : pools)
      if (auto rank = bounds[pool].busiestRank(*sums[pool]))
        busiest = std::min(busiest.value_or(*rank), *rank);
    if (!busiest)
      return std::nullopt;
    best->perMicroBatch = std::max(best->perMicroBatch, *busiest);
    return model.step(*best);
  }

  void visit(const Strategy &outer, const StepModel &model,
             const LayoutList &list, const Open &each) {
    if (!isBetter(each.bound)) {
      ++result.counts.candidatesBoundedOut;
      return;
    }
    ++result.counts.partitions;
    const ChainLayout &layout = list.layouts[each.layout];
    PartitionProblem problem{model,
                             outer,
                             search.units,
                             layout.prices,
                             search.constraints.recompute,
                             *each.pools};
    // What is far above its bound is not worth a scout's time.
    Nanoseconds near = each.bound + Nanoseconds(each.bound.count() / 25);
    std::optional<Partition> partition = bestPartition(
        problem, each.bound, isScout ? std::min(limit, near) : limit);
    if (!partition || !isBetter(partition->step))
      return;
    result.best = Candidate{outer, partition->step};
    result.best->strategy.stages = std::move(partition->stages);
    result.best->strategy.layouts = list.blocksOf(layout);
    limit = partition->step;
  }

  bool isBetter(Nanoseconds step) const {
    return result.best ? step < result.best->step : step <= limit;
  }

  static constexpr size_t scoutedRows = 4;

  ClassSearch &search;
  DegreeClass degrees;
  Nanoseconds limit;
  /// Looks only at the usual device order, few rows, and the fastest and the
  /// smallest layout.
  bool isScout;
  /// What kernels alone take, per block.
  std::vector<Nanoseconds> kernels;
  ClassResult result;
  /// By device order.
  std::map<std::vector<PlanAxis>, std::vector<std::vector<unsigned>>>
      sequencesBy;
};

ClassSearch::ClassSearch(const CostContext &context,
                         const SearchConstraints &constraints,
                         std::function<bool()> mustStop)
    : context(context), constraints(constraints), mustStop(std::move(mustStop)),
      units(context.workload), placements(context, constraints),
      models(context, constraints, placements),
      floors(models, units, constraints),
      layouts(context, models, constraints) {
  std::vector<int64_t> counts(context.workload.blocks.size(), 0);
  for (size_t segment = 0; segment < units.segments(); ++segment)
    counts[units.blockOf(segment)] += units.count(segment);
  blocksByUnits.resize(counts.size());
  std::iota(blocksByUnits.begin(), blocksByUnits.end(), 0);
  std::ranges::sort(blocksByUnits, [&](size_t a, size_t b) {
    return std::pair(-counts[a], a) < std::pair(-counts[b], b);
  });
}

ClassResult ClassSearch::run(const DegreeClass &degrees, Nanoseconds atMost) {
  return Run(*this, degrees, atMost, false).take();
}

ClassResult ClassSearch::scout(const DegreeClass &degrees, Nanoseconds atMost) {
  return Run(*this, degrees, atMost, true).take();
}

Nanoseconds ClassSearch::bound(const DegreeClass &degrees) {
  return bound(degrees, floors.kernels(degrees));
}

Nanoseconds ClassSearch::layoutBound(const DegreeClass &degrees,
                                     Nanoseconds atMost) {
  return Run(*this, degrees, atMost, false).layoutBound();
}

Nanoseconds ClassSearch::rowBound(const DegreeClass &degrees,
                                  Nanoseconds atMost) {
  return Run(*this, degrees, atMost, false).rowBound();
}

Nanoseconds
ClassSearch::bound(const DegreeClass &degrees,
                   const std::vector<Nanoseconds> &unitTimes) const {
  std::vector<Nanoseconds> bySegment;
  for (size_t segment = 0; segment < units.segments(); ++segment)
    bySegment.push_back(unitTimes[units.blockOf(segment)]);
  Nanoseconds perMicroBatch = leastShare(units, bySegment, degrees.pipeline);
  if (perMicroBatch.isSaturated())
    return perMicroBatch;
  int64_t batches =
      degrees.strategy().microBatchCount(context.workload.globalBatch);
  return StepOverhead(context, degrees.ranks()).step(perMicroBatch * batches);
}

} // namespace shardsmith::search
