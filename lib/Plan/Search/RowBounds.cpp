// SPDX-License-Identifier: Apache-2.0

#include "RowBounds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace shardsmith::search {

namespace {

PoolSequences poolSequences(const CostContext &context, const Strategy &outer) {
  size_t pools = context.topology.pools().size();
  if (pools == 1)
    return {std::vector<unsigned>(size_t(outer.pipeline), 0)};
  AxisPaths paths(context.topology, outer);
  std::vector<unsigned> order(pools);
  std::iota(order.begin(), order.end(), 0);
  PoolSequences sequences;
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

/// How many ranks of a pipeline lie on each pool that it uses.
using RanksOnPools = std::map<unsigned, int64_t>;

/// The least time per micro-batch if ranks of these kinds share the chain so
/// that none waits: a rank on which each unit takes at least twice as long as
/// on some other kind is half a rank.
Nanoseconds sharedTime(const Chain &chain, const RanksOnPools &ranksOn,
                       const PoolSums &sums) {
  double work = 0;
  std::map<unsigned, double> speeds;
  for (auto [pool, count] : ranksOn)
    speeds[pool] = 0;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    auto timeOn = [&](unsigned pool) {
      return double(sums.onPool[pool]->unitTimes[segment].count());
    };
    double least = std::numeric_limits<double>::infinity();
    for (const auto &[pool, speed] : speeds)
      least = std::min(least, timeOn(pool));
    for (auto &[pool, speed] : speeds)
      speed = timeOn(pool) > 0 ? std::max(speed, least / timeOn(pool)) : 1;
    work += least * double(chain.count(segment));
  }
  double ranks = 0;
  for (auto [pool, count] : ranksOn)
    ranks += speeds[pool] * double(count);
  constexpr double slack = 1 - 1e-9;
  double time = work / ranks * slack;
  return time < 9e18 ? Nanoseconds(int64_t(time)) : Nanoseconds::saturated();
}

/// The least time per micro-batch within which the ranks can take all units of
/// each segment, whole ones, if they had no others.
Nanoseconds wholeUnitsTime(const Chain &chain, const RanksOnPools &ranksOn,
                           const PoolSums &sums) {
  Nanoseconds longest;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    int64_t count = chain.count(segment);
    auto timeOn = [&](unsigned pool) {
      return std::max<int64_t>(1,
                               sums.onPool[pool]->unitTimes[segment].count());
    };
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

} // namespace

const PoolSequences &RowBounds::sequencesOf(const Strategy &outer) {
  auto [entry, isNew] = sequencesBy.try_emplace(outer.deviceOrder);
  if (isNew && degrees.kind)
    entry->second = {
        std::vector<unsigned>(size_t(outer.pipeline), degrees.kind->pool)};
  else if (isNew)
    entry->second = poolSequences(context, outer);
  return entry->second;
}

Nanoseconds RowBounds::bottleneckOf(const PoolSums &sums,
                                    const Strategy &outer) const {
  return leastBottleneck(chain, sums.anywhere->unitTimes, outer);
}

bool RowBounds::isOpen(std::optional<Nanoseconds> bound) {
  ++counts.candidates;
  if (bound && *bound <= most)
    return true;
  ++(bound ? counts.candidatesBoundedOut : counts.candidatesTooLarge);
  return false;
}

/// Of ranks on any of these kinds; nothing if none has room.
std::optional<LayoutBound::Least>
RowBounds::leastOn(const std::vector<unsigned> &kinds, const ChainSums &sums,
                   Nanoseconds bottleneck,
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

LayoutBound::Least RowBounds::leastAnywhere(const OpenRow &row,
                                            const ChainSums &sums) {
  std::set<unsigned> kinds;
  for (const std::vector<unsigned> &pools : sequencesOf(row.outer))
    kinds.insert(pools.begin(), pools.end());
  return leastOn({kinds.begin(), kinds.end()}, sums, {}, row.bounds).value();
}

std::optional<Nanoseconds>
RowBounds::boundOf(const std::vector<unsigned> &pools, const StepModel &model,
                   const PoolSums &poolSums, Nanoseconds bottleneck,
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
  std::optional<Nanoseconds> busiest;
  for (unsigned pool : kinds)
    if (auto rank = bounds[pool].busiestRank(sums, totals.perMicroBatch))
      busiest = std::min(busiest.value_or(*rank), *rank);
  if (!busiest)
    return std::nullopt;
  totals.perMicroBatch = std::max(totals.perMicroBatch, *busiest);
  return step();
}

void RowBounds::eachOpen(const Strategy &outer, const PoolSums &least,
                         const std::function<bool(const OpenRow &)> &visit) {
  AxisPaths paths(context.topology, outer);
  GroupPath replicas = paths.replicas(1, degrees.data * degrees.context, 0);
  eachOpen(outer, zeroRows(degrees, replicas, constraints),
           StepModel::Links::OfDeviceOrder, least, visit);
}

Nanoseconds RowBounds::inAnyOrder(const Strategy &outer,
                                  const ChainSums &least) {
  Nanoseconds bound = Nanoseconds::saturated();
  // One ZeRO group of all replicas, unless another one is fixed.
  std::vector<ZeroRow> zeros = zeroRows(degrees, GroupPath(), constraints);
  eachOpen(outer, zeros, StepModel::Links::Free, {{&least}, &least},
           [&](const OpenRow &row) {
             bound = std::min(bound, row.bound);
             return true;
           });
  return bound;
}

/// Of devices that data ranks lie on.
Bytes RowBounds::leastMemory(const Strategy &outer) const {
  std::vector<int64_t> ranks = dataRanksOnPools(context.topology, outer);
  Bytes least = Bytes::saturated();
  for (unsigned pool = 0; pool < ranks.size(); ++pool)
    if (ranks[pool] > 0)
      least = std::min(least, usableMemory(context, pool));
  return least;
}

/// Schedules whose steps may be short enough if nothing but the units took
/// time, and nothing needed memory: ZeRO does not matter to that.
std::vector<RowBounds::Schedule>
RowBounds::openSchedules(Strategy outer, const StepModel &likeThem,
                         const PoolSums &least, size_t zeros) {
  // By whether ranks have several stages.
  std::array<std::optional<Nanoseconds>, 2> bottlenecks;
  std::vector<Schedule> open;
  for (const ScheduleRow &row :
       scheduleRows(context.workload, degrees, constraints)) {
    outer.schedule = row.family;
    outer.virtualStages = row.virtualStages;
    std::optional<Nanoseconds> &bottleneck = bottlenecks[row.virtualStages > 1];
    if (!bottleneck)
      bottleneck = bottleneckOf(least, outer);
    StepModel model(likeThem, outer);
    Schedule schedule{row, *bottleneck, {}};
    for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
      schedule.empty.push_back(&emptyRanks.of(model, outer, pool));
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

void RowBounds::eachOpen(Strategy outer, const std::vector<ZeroRow> &zeros,
                         StepModel::Links links, const PoolSums &least,
                         const std::function<bool(const OpenRow &)> &visit) {
  std::optional<std::vector<Schedule>> schedules;
  // Rows with the same ZeRO group differ in nothing else that takes time to
  // find out.
  std::map<int64_t, StepModel> models;
  for (const ZeroRow &zero : zeros) {
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
      outer.schedule = schedule.row.family;
      outer.virtualStages = schedule.row.virtualStages;
      StepModel model(likeIt, outer);
      std::vector<LayoutBound> bounds;
      bounds.reserve(least.onPool.size());
      for (unsigned pool = 0; pool < least.onPool.size(); ++pool)
        bounds.emplace_back(model, outer, constraints.recompute, pool,
                            *schedule.empty[pool], prices[pool], most);
      Nanoseconds best = Nanoseconds::saturated();
      for (const std::vector<unsigned> &pools : sequencesOf(outer))
        if (auto bound =
                boundOf(pools, model, least, schedule.bottleneck, bounds);
            isOpen(bound))
          best = std::min(best, *bound);
      if (!best.isSaturated() && !visit({outer, model, bounds, best}))
        return;
    }
  }
}

} // namespace shardsmith::search
