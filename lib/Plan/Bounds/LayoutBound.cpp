// SPDX-License-Identifier: Apache-2.0

#include "LayoutBound.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

/// Whether neighbours can share the chain so that none needs more than `most`.
bool canShare(const Chain &chain, const std::vector<Nanoseconds> &unitTimes,
              int64_t ranks, int64_t most) {
  int64_t left = most;
  --ranks;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    int64_t each = std::max<int64_t>(unitTimes[segment].count(), 1);
    int64_t count = chain.count(segment);
    if (each > most)
      return false;
    int64_t here = std::min(count, left / each);
    count -= here;
    left -= here * each;
    if (count == 0)
      continue;
    int64_t perRank = most / each;
    int64_t more = ceilDivide(count, perRank);
    ranks -= more;
    if (ranks < 0)
      return false;
    left = most - (count - (more - 1) * perRank) * each;
  }
  return true;
}

} // namespace

Nanoseconds bottleneckBound(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer) {
  Nanoseconds least =
      evenShareBound(chain, bySegment(unitTimes), outer.pipeline);
  if (outer.pipeline == 1 || outer.virtualStages > 1 || least.isSaturated())
    return least;
  // Twice the mean is enough: a rank that stops at the first unit beyond the
  // mean exceeds it by one unit at most.
  int64_t below = least.count() - 1, enough = (least * 2).count();
  while (enough - below > 1) {
    int64_t middle = below + (enough - below) / 2;
    (canShare(chain, unitTimes, outer.pipeline, middle) ? enough : below) =
        middle;
  }
  return Nanoseconds(enough);
}

Nanoseconds ParameterPrices::tail(const StepModel &model, int64_t dense,
                                  int64_t expert) {
  auto [entry, isNew] = tails.try_emplace({dense, expert});
  if (isNew) {
    StageWork denseWork, expertWork;
    denseWork.denseParameters = denseWork.denseUses = dense;
    expertWork.expertParameters = expertWork.expertUses = expert;
    entry->second = std::max(model.times(pool, denseWork, {}).tail(),
                             model.times(pool, expertWork, {}).tail());
  }
  return entry->second;
}

const RankTimes &ParameterPrices::exchange(const StepModel &model,
                                           int64_t dense, int64_t expert) {
  auto [entry, isNew] = exchanges.try_emplace({dense, expert});
  if (isNew) {
    StageWork parameters;
    parameters.denseParameters = parameters.denseUses = dense;
    parameters.expertParameters = parameters.expertUses = expert;
    entry->second = model.times(pool, parameters, {});
  }
  return entry->second;
}

LayoutBound::LayoutBound(const StepModel &model, const Strategy &outer,
                         RecomputeMask allowed, unsigned pool,
                         const std::optional<ActivationBudgets> &empty,
                         ParameterPrices &prices, Nanoseconds longest)
    : model(model), outer(outer), allowed(allowed), pool(pool), empty(empty),
      prices(prices), longestRank(model.longestWork(longest)),
      mostCompute(longestRank) {
  if (longestRank.isSaturated())
    return;
  longestRank = Nanoseconds(longestRank.count() / model.microBatches());
  mostCompute = longestRank * outer.pipeline;
}

bool LayoutBound::areSavedInFull() const {
  return empty->most <= model.memoryLimit(pool) - empty->overhead;
}

WorkingMemory LayoutBound::running(const UnitCosts &unit) const {
  WorkingMemory running = workingMemory(unit, allowed, areSavedInFull());
  for (Bytes *bytes : {&running.plain, &running.recomputing})
    *bytes = model.workspaceBytes(*bytes, parametersOf(unit));
  return running;
}

LayoutBound::Running LayoutBound::runningIn(const ChainSums &sums) const {
  // The unit that needs most and the one with most parameters may be two; both
  // are on a rank that is alone.
  if (outer.pipeline == 1) {
    Bytes transient;
    for (const UnitGroup &group : sums.groups)
      transient = std::max(
          transient,
          workingMemory(*group.unit, allowed, areSavedInFull()).least());
    Bytes whole =
        model.workspaceBytes(transient, sums.whole.largestUnitParameters);
    return {whole, whole};
  }
  Running ranks;
  for (const UnitGroup &group : sums.groups) {
    Bytes each = running(*group.unit).least();
    ranks.least = std::min(ranks.least, each);
    ranks.most = std::max(ranks.most, each);
  }
  return ranks;
}

/// Parameters take their room on some rank, and so does the unit that needs
/// most while it runs; the sum of what ranks may save loses least if that is
/// the rank with most micro-batches in flight. Every other rank needs the
/// working memory of some unit.
std::optional<Bytes> LayoutBound::savedBudget(const ChainSums &sums) const {
  if (!empty)
    return std::nullopt;
  Bytes room = model.memoryLimit(pool) - empty->overhead;
  Bytes held = model.held(pool, sums.whole).total();
  Running running = runningIn(sums);
  if (running.most > room ||
      held + running.most + running.least * (outer.pipeline - 1) >
          room * outer.pipeline)
    return std::nullopt;
  if (empty->total.isSaturated())
    return empty->total;
  // The rank with most micro-batches in flight saves `least` bytes if nothing
  // else takes its room.
  auto shareOf = [&](Bytes bytes) {
    return double(bytes.count()) / double(room.count());
  };
  double taken = shareOf(held + running.most - running.least) *
                     double(empty->least.count()) +
                 shareOf(running.least) * double(empty->total.count());
  if (!(taken < double(empty->total.count())))
    return Bytes(0);
  return empty->total - Bytes(int64_t(taken)) + Bytes(outer.pipeline + 1);
}

DeviceKindCapacity
LayoutBound::ranksFor(const UnitGroup &group,
                      std::span<const RankBudget> budgets) const {
  Bytes room = model.memoryLimit(pool) - empty->overhead;
  StageWork units;
  units.append(*group.unit, Recompute::None, group.count);
  return {group.unit, budgets, room, model.held(pool, units).total(),
          running(*group.unit)};
}

/// A lower bound on the exposed communication of all ranks: exchanging
/// parameters rank by rank takes no less than exchanging their sum at once.
Nanoseconds LayoutBound::communication(const ChainSums &sums,
                                       const StageWork &work) {
  Nanoseconds sum;
  if (outer.zeroStage >= 2) {
    bool byUse = model.exchangesUses();
    RankTimes times =
        prices.exchange(model, byUse ? work.denseUses : work.denseParameters,
                        byUse ? work.expertUses : work.expertParameters);
    times.compute = std::min(sums.mostCompute, mostCompute);
    model.setRecompute(times, work, work.recompute);
    sum += times.gather;
  }
  int64_t senders = outer.pipeline * outer.virtualStages - 1;
  if (senders > 0) {
    Bytes least = Bytes::saturated();
    for (const UnitGroup &group : sums.groups)
      least = std::min(least, group.unit->outputBytes);
    auto [entry, isNew] = messages.try_emplace(least);
    if (isNew)
      entry->second = model.leastMessage(least);
    sum += entry->second * senders;
  }
  return sum;
}

// The sum of IdleShares with recomputation R, which counts as T does, and
// exposed communication C, which idle ranks do not see:
//
//   p · v · work >= times · (T + R - x · F - y · W) + M · v · C
//
// Both passes are within T, so F is at most T - W.
Nanoseconds LayoutBound::unfilledWork(const UnfilledTimeEnvelope &unfilled,
                                      Nanoseconds recompute,
                                      Nanoseconds communication) const {
  auto stages = double(model.microBatches() * outer.virtualStages);
  auto [times, x, y] = IdleShares::of(model.idleWeights(), stages);
  double share = std::max((y - x) / (1 - x), 0.0);
  if (!(share <= 1))
    return {};
  double sum =
      times * ((1 - x) * unfilled.at(share) + double(recompute.count())) +
      stages * double(communication.count());
  constexpr double slack = 1 - 1e-9;
  double work = sum * slack / double(outer.pipeline * outer.virtualStages);
  return Nanoseconds(int64_t(std::clamp(work, 0.0, 4e18)));
}

std::optional<LayoutBound::Least> LayoutBound::least(const ChainSums &sums,
                                                     Nanoseconds bottleneck) {
  std::optional<Bytes> budget = savedBudget(sums);
  if (!budget || sums.leastSaved > *budget)
    return std::nullopt;
  StageWork work = sums.whole;
  work.recompute = sums.leastRecompute;
  if (sums.savedThen > *budget)
    work.recompute = leastRecompute(sums.groups, allowed, *budget);
  Least least;
  least.recompute = work.recompute;
  least.communication = communication(sums, work);
  least.totals.tail =
      prices.tail(model, sums.whole.denseParameters / outer.pipeline,
                  sums.whole.expertParameters / outer.pipeline);
  addUp(sums, bottleneck, least);
  return least;
}

LayoutBound::Least LayoutBound::ofUnits(const ChainSums &sums,
                                        Nanoseconds bottleneck) const {
  Least least;
  least.recompute = sums.leastRecompute;
  addUp(sums, bottleneck, least);
  return least;
}

void LayoutBound::addUp(const ChainSums &sums, Nanoseconds bottleneck,
                        Least &least) const {
  StageWork work = sums.whole;
  work.recompute = least.recompute;
  Nanoseconds time =
      sums.time - sums.leastRecompute + least.recompute + least.communication;
  StepModel::Totals &totals = least.totals;
  totals.perMicroBatch = std::max(
      bottleneck, Nanoseconds(ceilDivide(time.count(), outer.pipeline)));
  totals.idle = model.idle(work);
  work.backwardWeight = std::min(sums.mostBackwardWeight, mostCompute);
  totals.idle = std::min(totals.idle, model.idle(work));
  if (sums.unfilled)
    least.work =
        unfilledWork(*sums.unfilled, least.recompute, least.communication) +
        totals.tail;
}

} // namespace shardsmith::search
