// SPDX-License-Identifier: Apache-2.0

#include "VariantBounds.h"
#include "DeviceKindWeights.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace shardsmith::search {

namespace {

/// The number of ranks of a pipeline on each pool that it uses.
using RanksOnPools = std::map<unsigned, int64_t>;

/// A lower bound on the time per micro-batch: the ranks share the work of the
/// chain evenly, each unit on the kind where it counts least.
Nanoseconds sharedTime(const Chain &chain, const RanksOnPools &ranksOn,
                       const PoolSums &sums) {
  DeviceKindWeights times;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    std::vector<Nanoseconds> onKinds;
    for (auto [pool, count] : ranksOn)
      onKinds.push_back(sums.onPool[pool]->unitTimes[segment]);
    times.add(chain.count(segment), onKinds);
  }
  int64_t all = 0;
  std::vector<int64_t> ranks;
  for (auto [pool, count] : ranksOn) {
    ranks.push_back(count);
    all += count;
  }
  double time = times.sharedBy(all, ranks);
  return time < 9e18 ? Nanoseconds(int64_t(time)) : Nanoseconds::saturated();
}

/// The least time per micro-batch in which the ranks can take all units of a
/// segment, whole units and no others; the greatest over the segments.
Nanoseconds wholeUnitsTime(const Chain &chain, const RanksOnPools &ranksOn,
                           const PoolSums &sums) {
  Nanoseconds longest;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    int64_t count = chain.count(segment);
    auto timeOn = [&](unsigned pool) {
      return sums.onPool[pool]->unitTimes[segment].count();
    };
    // Units that take no time fit in any number.
    if (std::ranges::any_of(
            ranksOn, [&](auto ranks) { return timeOn(ranks.first) == 0; }))
      continue;
    auto canTake = [&](int64_t time) {
      int64_t units = 0;
      for (auto [pool, ranks] : ranksOn)
        units += ranks * std::min(count, time / timeOn(pool));
      return units >= count;
    };
    int64_t enough = std::numeric_limits<int64_t>::max();
    for (auto [pool, ranks] : ranksOn)
      enough = std::min(
          enough,
          (Nanoseconds(timeOn(pool)) * ceilDivide(count, ranks)).count());
    int64_t tooLittle = longest.count();
    if (enough <= tooLittle || canTake(tooLittle))
      continue;
    while (enough - tooLittle > 1) {
      int64_t middle = tooLittle + (enough - tooLittle) / 2;
      (canTake(middle) ? enough : tooLittle) = middle;
    }
    longest = Nanoseconds(enough);
  }
  return longest;
}

/// The times without recomputation, which has a bound of its own.
double idleOf(const StepModel &model, const UnitCosts &unit) {
  StageWork work;
  work.append(unit, Recompute::None);
  return double(model.idle(work).count());
}

/// Whether the sums are those of a single layout as far as gaps are concerned:
/// the gradients of parameters that fill gaps at most are exactly those that
/// the layout has.
bool isExact(const PoolSums &sums) {
  return std::ranges::all_of(sums.onPool, [](const ChainSums *each) {
    return each->mostBackwardWeight == each->whole.backwardWeight;
  });
}

} // namespace

const PoolSequences &VariantBounds::sequencesOf(const Strategy &outer) {
  auto [entry, isNew] = sequencesBy.try_emplace(outer.deviceOrder);
  if (isNew && degrees.kind)
    entry->second = {
        std::vector<unsigned>(size_t(outer.pipeline), degrees.kind->pool)};
  else if (isNew)
    entry->second = poolSequences(context.topology, outer);
  return entry->second;
}

Nanoseconds VariantBounds::bottleneckOf(const PoolSums &sums,
                                        const Strategy &outer) const {
  return bottleneckBound(chain, sums.anywhere->unitTimes, outer);
}

Nanoseconds VariantBounds::listedBottleneck(const Strategy &outer,
                                            const std::vector<unsigned> &pools,
                                            const PoolSums &sums) const {
  if (!cuts.areListed(outer))
    return {};
  const CutList &list = cuts.of(outer);
  Nanoseconds least = Nanoseconds::saturated();
  for (const CutList::Cut &cut : list.cuts) {
    Nanoseconds busiest;
    for (size_t rank = 0; rank < pools.size() && busiest < least; ++rank) {
      Nanoseconds time;
      for (auto [segment, count] : list.pieces[cut.pieces[rank]].parts)
        time += sums.onPool[pools[rank]]->unitTimes[segment] * count;
      busiest = std::max(busiest, time);
    }
    least = std::min(least, busiest);
  }
  return least;
}

bool VariantBounds::isOpen(std::optional<Nanoseconds> bound) {
  ++counts.candidates;
  if (bound && *bound <= most)
    return true;
  ++(bound ? counts.candidatesBoundedOut : counts.candidatesTooLarge);
  return false;
}

/// The least of the bounds on the given kinds; nothing if no kind has room.
std::optional<LayoutBound::Least>
VariantBounds::leastOn(const std::vector<unsigned> &kinds,
                       const ChainSums &sums, Nanoseconds bottleneck,
                       std::vector<LayoutBound> &bounds) const {
  std::optional<LayoutBound::Least> best;
  for (unsigned pool : kinds) {
    std::optional<LayoutBound::Least> least =
        bounds[pool].least(sums, bottleneck);
    if (!least)
      continue;
    if (!best) {
      best = least;
      continue;
    }
    best->recompute = std::min(best->recompute, least->recompute);
    best->communication = std::min(best->communication, least->communication);
    best->totals.tail = std::min(best->totals.tail, least->totals.tail);
  }
  if (best && kinds.size() > 1)
    bounds.front().addUp(sums, bottleneck, *best);
  return best;
}

LayoutBound::Least VariantBounds::leastAnywhere(const OpenVariant &variant,
                                                const ChainSums &sums) {
  std::set<unsigned> kinds;
  for (const std::vector<unsigned> &pools : sequencesOf(variant.outer))
    kinds.insert(pools.begin(), pools.end());
  return leastOn({kinds.begin(), kinds.end()}, sums, {}, variant.bounds)
      .value();
}

/// The makespan bounds by memory and whole units (`segmentMakespanBound`,
/// `pipelineMakespanBound`). They are more expensive than the other bounds and
/// computed last. Nothing if some units have no room.
std::optional<PipelineBound>
VariantBounds::makespanBound(const std::vector<unsigned> &pools,
                             const StepModel &model, const PoolSums &sums,
                             Nanoseconds atLeast,
                             const std::vector<LayoutBound> &bounds) const {
  std::map<unsigned, RankBudgets> budgetsOn;
  for (size_t begin = 0, end = 0; begin < pools.size(); begin = end) {
    unsigned pool = pools[begin];
    while (end < pools.size() && pools[end] == pool)
      ++end;
    if (const auto &empty = bounds[pool].activationBudgets())
      budgetsOn[pool] = empty->between(int64_t(begin), int64_t(end));
  }
  bool isMixed = budgetsOn.size() > 1;
  std::vector<SharedSegment> segments(chain.segments());
  Nanoseconds longest = bounds[pools.front()].longest();
  PipelineBound times;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    SharedSegment &shared = segments[segment];
    shared.units = chain.count(segment);
    for (const auto &[pool, budgets] : budgetsOn) {
      const UnitGroup &group = sums.onPool[pool]->groups[segment];
      shared.kinds.push_back(bounds[pool].ranksFor(group, budgets));
      if (isMixed)
        shared.costs.push_back(idleOf(model, *group.unit));
    }
    std::optional<Nanoseconds> time = segmentMakespanBound(
        shared.kinds, shared.units, constraints.recompute, atLeast, longest);
    if (!time)
      return std::nullopt;
    times.busiest = std::max(times.busiest, *time);
    if (time->isSaturated())
      return times;
  }
  if (!isMixed)
    return times;
  PipelineBound together =
      pipelineMakespanBound(segments, constraints.recompute,
                            std::max(atLeast, times.busiest), longest);
  together.busiest = std::max(together.busiest, times.busiest);
  return together;
}

std::optional<Nanoseconds>
VariantBounds::boundOf(const std::vector<unsigned> &pools,
                       const StepModel &model, const PoolSums &poolSums,
                       Nanoseconds bottleneck,
                       std::vector<LayoutBound> &bounds) const {
  RanksOnPools ranksOn;
  for (unsigned pool : pools)
    ++ranksOn[pool];
  std::vector<unsigned> kinds;
  for (auto [pool, ranks] : ranksOn)
    kinds.push_back(pool);
  bool isMixed = kinds.size() > 1;
  const ChainSums &sums =
      isMixed ? *poolSums.anywhere : *poolSums.onPool[kinds.front()];
  std::optional<LayoutBound::Least> best =
      leastOn(kinds, sums, bottleneck, bounds);
  if (!best)
    return std::nullopt;
  StepModel::Totals &totals = best->totals;
  if (isMixed)
    totals.perMicroBatch =
        std::max({totals.perMicroBatch, sharedTime(chain, ranksOn, poolSums),
                  wholeUnitsTime(chain, ranksOn, poolSums)});
  auto step = [&] {
    return std::max(model.step(totals), model.step(best->work));
  };
  if (step() > most)
    return step();
  std::optional<PipelineBound> times =
      makespanBound(pools, model, poolSums, totals.perMicroBatch, bounds);
  if (!times)
    return std::nullopt;
  totals.perMicroBatch = std::max(totals.perMicroBatch, times->busiest);
  // For schedules that fill gaps the bound needs to know how much can fill
  // them.
  if (!model.idleWeights().differ() || isExact(poolSums))
    totals.idle += times->elsewhere;
  return step();
}

void VariantBounds::eachOpen(
    const Strategy &outer, const PoolSums &least,
    const std::function<bool(const OpenVariant &)> &visit) {
  AxisPaths paths(context.topology, outer);
  GroupPath replicas = paths.replicas(1, degrees.replicas(), 0);
  eachOpen(outer, zeroChoices(degrees, replicas, constraints),
           StepModel::Links::OfDeviceOrder, least, visit);
}

Nanoseconds VariantBounds::relaxedBound(const Strategy &outer,
                                        const ChainSums &least) {
  Nanoseconds bound = Nanoseconds::saturated();
  // In the relaxation ZeRO spreads over all replicas, unless another group is
  // fixed.
  std::vector<ZeroChoice> zeros =
      zeroChoices(degrees, GroupPath(), constraints);
  eachOpen(outer, zeros, StepModel::Links::Free, {{&least}, &least},
           [&](const OpenVariant &variant) {
             bound = std::min(bound, variant.bound);
             return true;
           });
  return bound;
}

/// The least memory of the devices that replicas lie on.
Bytes VariantBounds::leastMemory(const Strategy &outer) const {
  Bytes least = Bytes::saturated();
  for (const DataShare &share : outer.dataShares)
    least = std::min(least, usableMemory(context, share.pool));
  return least;
}

/// The schedules that are open if nothing but the units took time and nothing
/// needed memory. The ZeRO stage does not matter to that.
std::vector<VariantBounds::Schedule>
VariantBounds::openSchedules(Strategy outer, const StepModel &likeThem,
                             const PoolSums &least, size_t zeros) {
  // One bound for ranks with one stage, one for ranks with several.
  std::array<std::optional<Nanoseconds>, 2> bottlenecks;
  std::vector<Schedule> open;
  for (const ScheduleChoice &choice :
       scheduleChoices(context.workload, degrees, constraints)) {
    outer.schedule = choice.family;
    outer.virtualStages = choice.virtualStages;
    std::optional<Nanoseconds> &bottleneck =
        bottlenecks[choice.virtualStages > 1];
    if (!bottleneck)
      bottleneck = bottleneckOf(least, outer);
    StepModel model(likeThem, outer);
    Schedule schedule{choice, *bottleneck, {}};
    for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
      schedule.empty.push_back(&activationBudgets.of(model, outer, pool));
    ParameterPrices none(0);
    LayoutBound::Least units =
        LayoutBound(model, outer, constraints.recompute, 0,
                    *schedule.empty.front(), none, most)
            .ofUnits(*least.anywhere, *bottleneck);
    if (std::max(model.step(units.totals), model.step(units.work)) <= most)
      open.push_back(std::move(schedule));
    else
      countOut(counts.candidatesBoundedOut, zeros);
  }
  return open;
}

/// Whether a plan with fewer micro-batches on its busiest data ranks is in the
/// space and takes no longer: where all ranks go through as many, none has to
/// take more than the least number that covers the batch and that the schedule
/// can run.
bool VariantBounds::hasMoreThanNeeded(const Strategy &outer) const {
  // The fewer ones may be no whole rounds.
  if (!degrees.kind || !outer.waitsPerMicroBatch() ||
      constraints.onlyWholeRounds)
    return false;
  for (int64_t fewer = Strategy::evenMicroBatchCount(
           context.workload.globalBatch, degrees.data, degrees.microBatch);
       fewer < degrees.kind->microBatches; ++fewer)
    if (canRun(outer.schedule, outer.pipeline, fewer))
      return true;
  return false;
}

void VariantBounds::eachOpen(
    Strategy outer, const std::vector<ZeroChoice> &zeros,
    StepModel::Links links, const PoolSums &least,
    const std::function<bool(const OpenVariant &)> &visit) {
  std::optional<std::vector<Schedule>> schedules;
  // Variants with the same ZeRO group share their step model, which takes time
  // to make.
  std::map<int64_t, StepModel> models;
  for (const ZeroChoice &zero : zeros) {
    outer.zeroStage = zero.stage;
    outer.zeroGroup = zero.group;
    auto [entry, isNew] = models.try_emplace(zero.group, context, outer, links);
    StepModel &likeIt = entry->second;
    if (isNew && degrees.kind) {
      likeIt.limitMemory(leastMemory(outer));
      if (ceilDivide(context.workload.globalBatch, degrees.microBatch) >
          degrees.data)
        likeIt.hideReduction();
    }
    if (!schedules)
      schedules = openSchedules(outer, likeIt, least, zeros.size());
    StepModel anySchedule(likeIt, outer);
    bool haveRoom = false;
    for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
      haveRoom |= anySchedule.haveRoom(pool, least.onPool[pool]->whole);
    if (!haveRoom) {
      countOut(counts.candidatesTooLarge, schedules->size());
      continue;
    }
    std::vector<ParameterPrices> prices;
    for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
      prices.emplace_back(pool);
    for (const Schedule &schedule : *schedules) {
      outer.schedule = schedule.choice.family;
      outer.virtualStages = schedule.choice.virtualStages;
      if (hasMoreThanNeeded(outer)) {
        countOut(counts.candidatesBoundedOut, 1);
        continue;
      }
      StepModel model(likeIt, outer);
      std::vector<LayoutBound> bounds;
      bounds.reserve(least.onPool.size());
      for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
        bounds.emplace_back(model, outer, constraints.recompute, pool,
                            *schedule.empty[pool], prices[pool], most);
      Nanoseconds best = Nanoseconds::saturated();
      for (const std::vector<unsigned> &pools : sequencesOf(outer)) {
        Nanoseconds bottleneck = std::max(
            schedule.bottleneck, listedBottleneck(outer, pools, least));
        auto bound = boundOf(pools, model, least, bottleneck, bounds);
        if (isOpen(bound))
          best = std::min(best, *bound);
      }
      if (!best.isSaturated() && !visit({outer, model, bounds, best}))
        return;
    }
  }
}

} // namespace shardsmith::search
