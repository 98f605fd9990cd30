// SPDX-License-Identifier: Apache-2.0

#include "RowBounds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

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

/// The least time per micro-batch if ranks of these kinds share the chain so
/// that none waits: a rank on which each unit takes at least twice as long as
/// on some other kind is half a rank.
Nanoseconds sharedTime(const Chain &chain, const std::vector<unsigned> &pools,
                       const PoolSums &sums) {
  double work = 0;
  std::map<unsigned, double> speeds;
  for (unsigned pool : pools)
    speeds[pool] = 0;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    auto timeOn = [&](unsigned pool) {
      return double(sums[pool]->unitTimes[segment].count());
    };
    double least = std::numeric_limits<double>::infinity();
    for (const auto &[pool, speed] : speeds)
      least = std::min(least, timeOn(pool));
    for (auto &[pool, speed] : speeds)
      speed = timeOn(pool) > 0 ? std::max(speed, least / timeOn(pool)) : 1;
    work += least * double(chain.count(segment));
  }
  double ranks = 0;
  for (unsigned pool : pools)
    ranks += speeds[pool];
  constexpr double slack = 1 - 1e-9;
  double time = work / ranks * slack;
  return time < 9e18 ? Nanoseconds(int64_t(time)) : Nanoseconds::saturated();
}

/// Each number on its own.
StepModel::Totals leastOf(const StepModel::Totals &a,
                          const StepModel::Totals &b) {
  return {std::min(a.perMicroBatch, b.perMicroBatch), std::min(a.idle, b.idle),
          std::min(a.tail, b.tail)};
}

} // namespace

const PoolSequences &RowBounds::sequencesOf(const Strategy &outer) {
  auto [entry, isNew] = sequencesBy.try_emplace(outer.deviceOrder);
  if (isNew)
    entry->second = poolSequences(context, outer);
  return entry->second;
}

Nanoseconds RowBounds::bottleneckOf(const PoolSums &sums,
                                    const Strategy &outer) const {
  Nanoseconds least = Nanoseconds::saturated();
  for (const ChainSums *each : sums)
    least = std::min(least, leastBottleneck(chain, each->unitTimes, outer));
  return least;
}

bool RowBounds::isOpen(std::optional<Nanoseconds> bound) {
  ++counts.candidates;
  if (bound && *bound <= most)
    return true;
  ++(bound ? counts.candidatesBoundedOut : counts.candidatesTooLarge);
  return false;
}

std::optional<Nanoseconds>
RowBounds::boundOf(std::vector<unsigned> pools, const StepModel &model,
                   const PoolSums &sums, Nanoseconds bottleneck,
                   std::vector<LayoutBound> &bounds) const {
  std::optional<StepModel::Totals> best;
  // Sums of units on several kinds of device may be less than on either.
  Nanoseconds together, shared;
  if (sums.size() > 1)
    shared = sharedTime(chain, pools, sums);
  pools.erase(std::ranges::unique(pools).begin(), pools.end());
  for (unsigned pool : pools) {
    std::optional<LayoutBound::Least> least =
        bounds[pool].least(*sums[pool], bottleneck);
    if (!least)
      continue;
    StepModel::Totals &totals = least->totals;
    if (pools.size() == 1)
      together = model.step(least->work);
    best = best ? leastOf(*best, totals) : totals;
  }
  if (!best)
    return std::nullopt;
  best->perMicroBatch = std::max(best->perMicroBatch, shared);
  Nanoseconds step = std::max(model.step(*best), together);
  if (step > most)
    return step;
  std::optional<Nanoseconds> busiest;
  for (unsigned pool : pools)
    if (auto rank = bounds[pool].busiestRank(*sums[pool], best->perMicroBatch))
      busiest = std::min(busiest.value_or(*rank), *rank);
  if (!busiest)
    return std::nullopt;
  best->perMicroBatch = std::max(best->perMicroBatch, *busiest);
  return std::max(model.step(*best), together);
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
  eachOpen(outer, zeros, StepModel::Links::Free, {&least},
           [&](const OpenRow &row) {
             bound = std::min(bound, row.bound);
             return true;
           });
  return bound;
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
    std::optional<StepModel::Totals> best;
    Nanoseconds together;
    for (unsigned pool = 0; pool < least.size(); ++pool) {
      schedule.empty.push_back(&emptyRanks.of(model, outer, pool));
      ParameterPrices none(pool);
      LayoutBound::Least units =
          LayoutBound(model, outer, constraints.recompute, pool,
                      *schedule.empty.back(), none, most)
              .ofUnits(*least[pool], *bottleneck);
      best = best ? leastOf(*best, units.totals) : units.totals;
      if (least.size() == 1)
        together = model.step(units.work);
    }
    if (std::max(model.step(*best), together) <= most)
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
    const StepModel &likeIt =
        models.try_emplace(zero.group, context, outer, links).first->second;
    if (!schedules)
      schedules = openSchedules(outer, likeIt, least, zeros.size());
    StepModel anySchedule(likeIt, outer);
    bool haveRoom = false;
    for (unsigned pool = 0; pool < least.size(); ++pool)
      haveRoom |= anySchedule.haveRoom(pool, least[pool]->whole);
    if (!haveRoom) {
      countOut(counts.candidatesTooLarge, schedules->size());
      continue;
    }
    std::vector<ParameterPrices> prices;
    for (unsigned pool = 0; pool < least.size(); ++pool)
      prices.emplace_back(pool);
    for (const Schedule &schedule : *schedules) {
      outer.schedule = schedule.row.family;
      outer.virtualStages = schedule.row.virtualStages;
      StepModel model(likeIt, outer);
      std::vector<LayoutBound> bounds;
      bounds.reserve(least.size());
      for (unsigned pool = 0; pool < least.size(); ++pool)
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
