// SPDX-License-Identifier: Apache-2.0

#include "ClassSearch.h"
#include "../Bounds/RoomForAll.h"
#include "RowSearch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace shardsmith::search {

/// One class; candidates are visited in a fixed order, and the first of equally
/// good ones wins.
class ClassSearch::Run {
public:
  Run(ClassSearch &search, const DegreeClass &degrees, Nanoseconds atMost,
      Nanoseconds best, bool isScout, Schedules schedules = Schedules::All)
      : search(search), constraints(search.constraints), degrees(degrees),
        most(atMost), best(best), isScout(isScout),
        rows(search.context, constraints, search.units, search.cuts,
             search.emptyRanks, this->degrees, most, result.counts),
        rowSearch(search.context, constraints, search.units, search.cuts, rows,
                  search.mustStop, isScout, most, result.counts) {
    constexpr auto plain = size_t(ScheduleFamily::OneForwardOneBackward);
    if (schedules == Schedules::Plain)
      for (size_t family = 0; family < scheduleFamilies; ++family)
        constraints.schedules[family] &= family == plain;
  }

  ClassResult take() {
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (search.mustStop())
        result.isPartial = true;
      else if (auto floors = floorsOf(outer, placement))
        visitRows(outer, placement, *floors);
      return !result.isPartial && !isScout;
    });
    result.best = rowSearch.take();
    // What a scout has left out is looked at again.
    if (!isScout)
      result.leastLeft = std::min(result.leastLeft, rowSearch.leastOfOthers());
    return std::move(result);
  }

  Nanoseconds anyOrderBound() {
    Nanoseconds least = Nanoseconds::saturated();
    Strategy outer = degrees.strategy();
    for (ContextMethod method : contextMethods(degrees, constraints)) {
      outer.contextMethod = method;
      const Placement &placement = search.placements.anywhere(outer);
      // Without a choice of methods ops were bounded before.
      Nanoseconds bound = timeBound(outer, placement, degrees.context > 1);
      if (bound.isSaturated())
        continue;
      const ChainSums &sums = *search.floorInAnyOrder(outer).sums().anywhere;
      bound = std::max(bound, search.classBounds.ofFloor(outer, sums));
      if (bound <= most)
        bound = std::max(bound, rows.inAnyOrder(outer, sums));
      if (bound <= most)
        least = std::min(least, bound);
    }
    return least;
  }

  Nanoseconds rowBound() {
    Nanoseconds least = Nanoseconds::saturated();
    eachPlacement([&](const Strategy &outer, const Placement &placement) {
      if (auto floors = floorsOf(outer, placement))
        eachOpenRow(outer, *floors, [&](const RowBounds::OpenRow &row) {
          least = std::min(least, row.bound);
          return true;
        });
      return true;
    });
    return least;
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
      Strategy outer = degrees.strategy();
      outer.deviceOrder = placement.order;
      for (ContextMethod method : contextMethods(degrees, constraints)) {
        outer.contextMethod = method;
        if (!visit(outer, placement))
          return;
      }
    }
  }

  /// Of the fastest layouts; saturated if they are not fast enough, or less
  /// will do to see that. The block with most units is looked at first.
  Nanoseconds timeBound(const Strategy &outer, const Placement &placement,
                        bool withOps = true) const {
    std::vector<Nanoseconds> times(search.blocksByUnits.size());
    Nanoseconds bound;
    auto isWithin = [&](size_t block, Nanoseconds time) {
      times[block] = time;
      bound = search.classBounds.ofTimes(degrees, times);
      return bound <= most;
    };
    std::optional<unsigned> kind;
    if (degrees.kind)
      kind = degrees.kind->pool;
    constexpr std::array floors = {
        &UnitFloors::ops, &UnitFloors::fastestButExperts, &UnitFloors::fastest};
    for (auto time : std::span(floors).subspan(withOps ? 0 : 1))
      for (size_t block : search.blocksByUnits)
        if (!isWithin(block, (search.floors.*time)(workload::BlockIndex(block),
                                                   kind, outer, placement)))
          return Nanoseconds::saturated();
    return bound;
  }

  /// Of a layout that has the least of everything; nothing if the fastest
  /// layouts, and, where all devices are equal, what memory makes them
  /// recompute, are not fast enough.
  std::optional<PoolFloors> floorsOf(const Strategy &outer,
                                     const Placement &placement) const {
    if (timeBound(outer, placement).isSaturated())
      return std::nullopt;
    PoolFloors floors = search.floors.chains(outer, placement);
    if (floors.sums().onPool.size() == 1 &&
        search.classBounds.ofFloor(outer, *floors.sums().anywhere) > most)
      return std::nullopt;
    return floors;
  }

  PoolSums sumsOf(const PoolFloors &floors) const {
    return degrees.kind ? floors.sumsOn(degrees.kind->pool) : floors.sums();
  }

  /// Calls `visit` for the rows that may be fast enough with a layout that has
  /// the least of everything, until it returns false.
  template <typename Visit>
  void eachOpenRow(const Strategy &outer, const PoolFloors &floors,
                   Visit visit) {
    rows.eachOpen(outer, sumsOf(floors), visit);
  }

  /// A scout looks at the rows with the least bounds: the largest of these.
  Nanoseconds scoutedBound(const Strategy &outer, const PoolFloors &floors) {
    std::vector<Nanoseconds> bounds;
    eachOpenRow(outer, floors, [&](const RowBounds::OpenRow &row) {
      bounds.push_back(row.bound);
      return true;
    });
    std::ranges::sort(bounds);
    return bounds.size() > scoutedRows ? bounds[scoutedRows - 1]
                                       : Nanoseconds::saturated();
  }

  const LayoutList &allLayouts(const Strategy &outer,
                               const Placement &placement) {
    bool isRoomy = haveRoomForAll(search.context, constraints, degrees, outer,
                                  search.layouts.mostMemory(outer, placement));
    return search.layouts.of(outer, placement,
                             isRoomy ? Compare::AllButMemory : Compare::All);
  }

  void visitRows(const Strategy &outer, const Placement &placement,
                 const PoolFloors &floors) {
    Nanoseconds largest =
        isScout ? scoutedBound(outer, floors) : Nanoseconds::saturated();
    const LayoutList *list = nullptr;
    std::optional<LayoutList> few;
    std::optional<LayoutOffer> offer;
    bool hasIdleRows = false;
    eachOpenRow(outer, floors, [&](const RowBounds::OpenRow &row) {
      if (row.bound > largest)
        return true;
      if (!list) {
        list = isScout ? &few.emplace(search.layouts.few(outer, placement))
                       : &allLayouts(outer, placement);
        offer = isScout ? LayoutOffer::fewOf(*list) : LayoutOffer(*list);
      }
      // Layouts may be missing then.
      result.isPartial |= search.mustStop() || !rowSearch.visit(row, *offer);
      if (!isScout && rowSearch.hasLeftSome())
        result.leastLeft = std::min(result.leastLeft, row.bound);
      hasIdleRows |=
          row.bound <= best && search.idleLayouts.reasons(row.outer).areAny();
      return !result.isPartial;
    });
    if (!list || isScout)
      return;
    result.isLimited |= rowSearch.looksAtFew(*list);
    if (!list->isWhole())
      leaveRows(outer, floors);
    else if (hasIdleRows && list->all())
      visitIdleRows(outer, placement, floors, *list);
  }

  /// Of rows whose layouts were not all looked at, those that are left may be
  /// as fast as the rows' bounds.
  void leaveRows(const Strategy &outer, const PoolFloors &floors) {
    eachOpenRow(outer, floors, [&](const RowBounds::OpenRow &row) {
      result.leastLeft = std::min(result.leastLeft, row.bound);
      return true;
    });
  }

  /// Schedules that tell the passes apart, and ranks that wait for parameters,
  /// may gain from other layouts than `known`. These are made for the best plan
  /// there is; without one, not even of this class, the smallest layouts do not
  /// fit, and those are known.
  void visitIdleRows(const Strategy &outer, const Placement &placement,
                     const PoolFloors &floors, const LayoutList &known) {
    if (most.isSaturated() || result.isPartial)
      return;
    if (!search.idleLayouts.areWithinLimits(outer, placement)) {
      leaveRows(outer, floors);
      return;
    }
    WaitingRanks waiting(known, search.units, search.models.pools(),
                         search.context.profile.parameterGatherExposure);
    eachOpenRow(outer, floors, [&](const RowBounds::OpenRow &row) {
      Nanoseconds limit = std::min(most, best);
      if (row.bound > limit || !search.idleLayouts.reasons(row.outer).areAny())
        return true;
      LayoutBound::Least beside =
          rows.leastAnywhere(row, *sumsOf(floors).anywhere);
      IdleLayouts::Reasons reasons = search.idleLayouts.reasons(
          row, waiting, beside.totals, rows.sequencesOf(row.outer), limit);
      if (!reasons.areAny())
        return true;
      auto [tables, isNew] = idleTablesBy.try_emplace(
          {row.outer.schedule, row.outer.virtualStages, reasons, &known});
      if (isNew) {
        tables->second = search.idleLayouts.tablesOf(
            row.outer, reasons, placement, rows.sequencesOf(row.outer));
        result.counts.blockTables +=
            int64_t(search.context.workload.blocks.size());
      }
      auto [list, covered] = search.idleLayouts.of(
          *tables->second, row.bound, limit, beside, known, idleEffort);
      LayoutOffer offer(list);
      result.isPartial |= !rowSearch.visit(row, offer);
      if (rowSearch.hasLeftSome())
        result.leastLeft = std::min(result.leastLeft, row.bound);
      if (covered < std::min(most, best))
        result.leastLeft = std::min(
            result.leastLeft, std::max(row.bound, covered + Nanoseconds(1)));
      return !result.isPartial;
    });
  }

  static constexpr size_t scoutedRows = 4;

  ClassSearch &search;
  SearchConstraints constraints;
  DegreeClass degrees;
  /// Of two equally fast strategies the first one counts: once there is one,
  /// the next must be faster.
  Nanoseconds most;
  /// Of a plan that is known, whatever its class.
  Nanoseconds best;
  /// Looks only at the usual device order, few rows, and few layouts.
  bool isScout;
  /// That is left for layouts beside those of lists.
  int64_t idleEffort = IdleLayouts::classEffort;
  /// By schedule, stages of a rank, why there are any, and the list that they
  /// are beside, which all device orders with these links share.
  std::map<std::tuple<ScheduleFamily, int64_t, IdleLayouts::Reasons,
                      const LayoutList *>,
           std::shared_ptr<IdleLayouts::Tables>>
      idleTablesBy;
  ClassResult result;
  RowBounds rows;
  RowSearch rowSearch;
};

ClassSearch::ClassSearch(const CostContext &context,
                         const SearchConstraints &constraints,
                         const std::vector<DegreeClass> &classes,
                         unsigned threads, std::function<bool()> mustStop)
    : context(context), constraints(constraints), mustStop(std::move(mustStop)),
      units(context.workload), cuts(units),
      placements(context, constraints, classes),
      models(context, constraints, placements),
      floors(models, units, constraints, threads),
      classBounds(context, constraints, units, placements, floors),
      layouts(context, models, constraints, this->mustStop),
      idleLayouts(context, models, units, constraints) {
  const std::vector<int64_t> &counts = units.unitsOfBlocks();
  blocksByUnits.resize(counts.size());
  std::iota(blocksByUnits.begin(), blocksByUnits.end(), 0);
  std::ranges::sort(blocksByUnits, [&](size_t a, size_t b) {
    return std::pair(-counts[a], a) < std::pair(-counts[b], b);
  });
}

ClassResult ClassSearch::run(const DegreeClass &degrees, Nanoseconds atMost,
                             Nanoseconds best, Schedules schedules) {
  return Run(*this, degrees, atMost, best, false, schedules).take();
}

ClassResult ClassSearch::scout(const DegreeClass &degrees, Nanoseconds atMost,
                               Nanoseconds best) {
  return Run(*this, degrees, atMost, best, true).take();
}

const PoolFloors &ClassSearch::floorInAnyOrder(const Strategy &outer) {
  return *knownFloors.of({outer.microBatch, outer.tensor, outer.context,
                          outer.expert, int64_t(outer.contextMethod)},
                         [&] {
                           return std::make_unique<PoolFloors>(floors.chains(
                               outer, placements.anywhere(outer)));
                         });
}

Nanoseconds ClassSearch::anyOrderBound(const DegreeClass &degrees,
                                       Nanoseconds atMost) {
  if (context.topology.pools().size() > 1)
    return {};
  return Run(*this, degrees, atMost, atMost, false).anyOrderBound();
}

Nanoseconds ClassSearch::unitBound(const DegreeClass &degrees) {
  constexpr Nanoseconds any = Nanoseconds::saturated();
  return Run(*this, degrees, any, any, false).unitBound();
}

Nanoseconds ClassSearch::rowBound(const DegreeClass &degrees,
                                  Nanoseconds atMost) {
  return Run(*this, degrees, atMost, atMost, false).rowBound();
}

} // namespace shardsmith::search
