// SPDX-License-Identifier: Apache-2.0

#include "LayoutBound.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::search {

ChainSums::ChainSums(const Chain &chain, const std::vector<UnitCosts> &units,
                     RecomputeMask allowed) {
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    const UnitCosts &unit = units[chain.blockOf(segment)];
    int64_t count = chain.count(segment);
    whole.append(unit, Recompute::None, count);
    groups.push_back({&unit, count});
    std::pair fastest(Nanoseconds::saturated(), Bytes());
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      if (allowed[choice])
        fastest =
            std::min(fastest, {unit.recompute[choice], unit.saved[choice]});
    unitTimes.push_back(unit.forward + unit.forwardCommunication.total() +
                        unit.backward(Recompute::None) -
                        unit.recompute[size_t(Recompute::None)] +
                        fastest.first);
    time += unitTimes.back() * count;
    leastRecompute += fastest.first * count;
    savedThen += fastest.second * count;
  }
  leastSaved = search::leastSaved(groups, allowed);
  mostCompute = whole.forward + whole.backwardInput + whole.backwardWeight;
  mostBackwardWeight = whole.backwardWeight;
}

namespace {

/// Component-wise.
UnitCosts leastOf(const UnitCosts &a, const UnitCosts &b) {
  UnitCosts least = a;
  auto take = [](auto &to, auto other) { to = std::min(to, other); };
  auto takeAll = [&](UnitCommunication &to, const UnitCommunication &other) {
    take(to.tensor, other.tensor);
    take(to.context, other.context);
    take(to.expert, other.expert);
  };
  take(least.forward, b.forward);
  take(least.backwardInput, b.backwardInput);
  take(least.backwardWeight, b.backwardWeight);
  takeAll(least.forwardCommunication, b.forwardCommunication);
  takeAll(least.backwardCommunication, b.backwardCommunication);
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    take(least.recompute[choice], b.recompute[choice]);
    take(least.saved[choice], b.saved[choice]);
  }
  take(least.transient, b.transient);
  take(least.denseParameters, b.denseParameters);
  take(least.expertParameters, b.expertParameters);
  take(least.partialParameters, b.partialParameters);
  take(least.outputBytes, b.outputBytes);
  return least;
}

} // namespace

// Times count as sums: the layout with the fastest kernels is seldom the one
// that communicates least. What recomputation adds is compared on its own, as
// memory may ask for more of it.
ChainFloor::ChainFloor(const Chain &chain,
                       const std::vector<const std::vector<UnitCosts> *> &units,
                       const std::vector<const ChainSums *> &sums,
                       RecomputeMask allowed)
    : ideal(*units.front()) {
  for (const std::vector<UnitCosts> *each : units)
    for (size_t block = 0; block < ideal.size(); ++block)
      ideal[block] = leastOf(ideal[block], (*each)[block]);
  floor.emplace(chain, ideal, allowed);
  floor->unitTimes = sums.front()->unitTimes;
  Nanoseconds time = Nanoseconds::saturated();
  for (const ChainSums *each : sums) {
    for (size_t segment = 0; segment < chain.segments(); ++segment)
      floor->unitTimes[segment] =
          std::min(floor->unitTimes[segment], each->unitTimes[segment]);
    time = std::min(time, each->time - each->leastRecompute);
    floor->mostCompute = std::max(floor->mostCompute, each->mostCompute);
    floor->mostBackwardWeight =
        std::max(floor->mostBackwardWeight, each->mostBackwardWeight);
  }
  floor->time = time + floor->leastRecompute;
}

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

Nanoseconds leastBottleneck(const Chain &chain,
                            const std::vector<Nanoseconds> &unitTimes,
                            const Strategy &outer) {
  Nanoseconds sum, largest;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    sum += unitTimes[segment] * chain.count(segment);
    largest = std::max(largest, unitTimes[segment]);
  }
  Nanoseconds even(ceilDivide(sum.count(), outer.pipeline));
  Nanoseconds least = std::max(even, largest);
  if (outer.pipeline == 1 || sum.isSaturated())
    return least;
  if (outer.virtualStages > 1) {
    // Whoever has most of the longest segment has at least the mean of it.
    for (size_t segment = 0; segment < chain.segments(); ++segment)
      least =
          std::max(least, unitTimes[segment] *
                              ceilDivide(chain.count(segment), outer.pipeline));
    return least;
  }
  int64_t below = least.count() - 1, enough = (even + largest).count();
  while (enough - below > 1) {
    int64_t middle = below + (enough - below) / 2;
    (canShare(chain, unitTimes, outer.pipeline, middle) ? enough : below) =
        middle;
  }
  return Nanoseconds(enough);
}

LayoutBound::LayoutBound(const StepModel &model, const Strategy &outer,
                         RecomputeMask allowed, unsigned pool)
    : model(model), outer(outer), allowed(allowed), pool(pool) {
  StageWork nothing;
  EmptyRanks ranks;
  for (int64_t rank = 0; rank < outer.pipeline; ++rank) {
    std::optional<Bytes> budget = model.savedBudget(rank, pool, nothing);
    if (!budget)
      return;
    ranks.total += *budget;
    ranks.least = std::min(ranks.least, *budget);
    ++ranks.budgets[*budget];
  }
  ranks.overhead = model.memory(0, pool, nothing).memory.total();
  empty = ranks;
}

/// Parameters and the like take their room on some rank; it is missed least on
/// the rank that holds most micro-batches.
std::optional<Bytes> LayoutBound::savedBudget(const ChainSums &sums) const {
  if (!empty)
    return std::nullopt;
  StageWork whole = sums.whole;
  whole.saved = {};
  whole.transient = {};
  whole.outputBytes = {};
  whole.largestUnitParameters = 0;
  Bytes room = model.memoryLimit(pool) - empty->overhead;
  Bytes held = model.memory(0, pool, whole).memory.total() - empty->overhead;
  if (held > room * outer.pipeline)
    return std::nullopt;
  // `least` bytes are saved by the rank with most micro-batches in flight
  // where the room is free.
  double share = double(held.count()) / double(room.count());
  double taken = share * double(empty->least.count());
  if (empty->total.isSaturated() || !(taken < double(empty->total.count())))
    return empty->total.isSaturated() ? empty->total : Bytes(0);
  return empty->total - Bytes(int64_t(taken)) + Bytes(outer.pipeline + 1);
}

namespace {

/// How many equal units fit one rank, as a real number:
///
///     n · (saved + parameters) <= budget, with the way of recomputing that
///     saves least, and
///     n · time + price · (n · (saved + parameters) - budget)⁺ <= longest, with
///     the fastest way; `price` is what a byte less takes at least.
struct UnitRoom {
  double time, saved, leastSaved, parameters;
  double price = std::numeric_limits<double>::infinity();

  double count(double budget, double longest) const {
    double most = budget / (leastSaved + parameters);
    double kept = budget / (saved + parameters);
    double count = longest / time;
    if (count > kept)
      count = std::isinf(price)
                  ? kept
                  : std::max(kept, (longest + price * budget) /
                                       (time + price * (saved + parameters)));
    return std::min(count, most);
  }
};

} // namespace

std::optional<Nanoseconds>
LayoutBound::crowdedRank(const UnitGroup &group) const {
  const UnitCosts &unit = *group.unit;
  double room = double((model.memoryLimit(pool) - empty->overhead).count());
  StageWork whole;
  whole.append(unit, Recompute::None, group.count);
  whole.saved = {};
  whole.transient = {};
  whole.outputBytes = {};
  whole.largestUnitParameters = 0;
  double held = double(
      (model.memory(0, pool, whole).memory.total() - empty->overhead).count());

  std::optional<size_t> fastest;
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (allowed[choice] &&
        (!fastest || unit.recompute[choice] < unit.recompute[*fastest]))
      fastest = choice;
  UnitRoom unitRoom{};
  unitRoom.saved = double(unit.saved[*fastest].count());
  unitRoom.leastSaved = unitRoom.saved;
  unitRoom.time = double((whole.forward + whole.forwardCommunication.total() +
                          whole.backwardInput + whole.backwardWeight +
                          whole.backwardCommunication.total())
                             .count()) /
                      double(group.count) +
                  double(unit.recompute[*fastest].count());
  unitRoom.price = std::numeric_limits<double>::infinity();
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    double saved = double(unit.saved[choice].count());
    if (!allowed[choice] || saved >= unitRoom.saved)
      continue;
    double longer =
        double((unit.recompute[choice] - unit.recompute[*fastest]).count());
    unitRoom.price =
        std::min(unitRoom.price, longer / (unitRoom.saved - saved));
    unitRoom.leastSaved = std::min(unitRoom.leastSaved, saved);
  }

  // A little more than there is, against rounding.
  constexpr double slack = 1 + 1e-9;
  auto fits = [&](double longest) {
    double units = 0;
    for (auto [budget, ranks] : empty->budgets) {
      // Bytes of parameters take as much from the budget as they take from
      // the room.
      UnitRoom here = unitRoom;
      here.parameters =
          held / double(group.count) / room * double(budget.count());
      double count = here.count(double(budget.count()) * slack, longest);
      units += double(ranks) * std::floor(count * slack + 1e-6);
    }
    return units >= double(group.count);
  };
  double even = unitRoom.time * double(group.count) / double(outer.pipeline);
  if (fits(even))
    return Nanoseconds();
  double above = even * 2;
  for (int doublings = 0; !fits(above); above *= 2)
    if (++doublings > 12)
      return std::nullopt;
  double below = above / 2;
  while (above - below > above / 4096) {
    double middle = (above + below) / 2;
    (fits(middle) ? above : below) = middle;
  }
  return Nanoseconds(int64_t(below));
}

std::optional<Nanoseconds>
LayoutBound::crowdedRank(const ChainSums &sums) const {
  Nanoseconds longest;
  for (const UnitGroup &group : sums.groups) {
    std::optional<Nanoseconds> time = crowdedRank(group);
    if (!time)
      return std::nullopt;
    longest = std::max(longest, *time);
  }
  return longest;
}

/// Ranks with the mean of one kind of parameters, at least.
Nanoseconds LayoutBound::tail(int64_t dense, int64_t expert) {
  auto [entry, isNew] = tails.try_emplace({dense, expert});
  if (isNew) {
    StageWork denseWork, expertWork;
    denseWork.denseParameters = dense;
    expertWork.expertParameters = expert;
    entry->second = std::max(model.times(pool, denseWork, {}).tail(),
                             model.times(pool, expertWork, {}).tail());
  }
  return entry->second;
}

/// Exchanging parameters in parts takes no less than exchanging them at once.
Nanoseconds LayoutBound::communication(const ChainSums &sums,
                                       const StageWork &work) {
  Nanoseconds sum;
  if (outer.zeroStage >= 2) {
    auto [entry, isNew] =
        exchanges.try_emplace({work.denseParameters, work.expertParameters});
    if (isNew) {
      StageWork parameters;
      parameters.denseParameters = work.denseParameters;
      parameters.expertParameters = work.expertParameters;
      entry->second = model.times(pool, parameters, {});
    }
    RankTimes times = entry->second;
    times.compute = sums.mostCompute;
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
      entry->second = model.times(pool, {}, {&least, 1}).pipeline;
    sum += entry->second * senders;
  }
  return sum;
}

std::optional<StepModel::Totals> LayoutBound::totals(const ChainSums &sums,
                                                     Nanoseconds bottleneck) {
  std::optional<Bytes> budget = savedBudget(sums);
  if (!budget || sums.leastSaved > *budget)
    return std::nullopt;
  StageWork work = sums.whole;
  work.recompute = sums.leastRecompute;
  if (sums.savedThen > *budget) {
    auto fixed = [&](Bytes) { return budget; };
    std::optional<RecomputeMix> mix = cheapestMix(sums.groups, allowed, fixed);
    if (!mix)
      return std::nullopt;
    work.recompute = mix->time;
  }
  Nanoseconds time = sums.time - sums.leastRecompute + work.recompute +
                     communication(sums, work);
  StepModel::Totals totals;
  std::optional<Nanoseconds> crowded = crowdedRank(sums);
  if (!crowded)
    return std::nullopt;
  totals.perMicroBatch =
      std::max({bottleneck, *crowded,
                Nanoseconds(ceilDivide(time.count(), outer.pipeline))});
  totals.idle = model.idle(work);
  work.backwardWeight = sums.mostBackwardWeight;
  totals.idle = std::min(totals.idle, model.idle(work));
  totals.tail = tail(sums.whole.denseParameters / outer.pipeline,
                     sums.whole.expertParameters / outer.pipeline);
  return totals;
}

} // namespace shardsmith::search
