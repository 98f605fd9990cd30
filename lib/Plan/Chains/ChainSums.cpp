// SPDX-License-Identifier: Apache-2.0

#include "ChainSums.h"

#include <algorithm>

namespace shardsmith::search {

ChainSums::ChainSums(const Chain &chain, const std::vector<UnitCosts> &units,
                     RecomputeMask allowed) {
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    const UnitCosts &unit = units[chain.blockOf(segment)];
    int64_t count = chain.count(segment);
    whole.append(unit, Recompute::None, count);
    groups.push_back({&unit, count});
    auto fastest = size_t(fastestChoice(unit, allowed));
    unitTimes.push_back(unit.time(Recompute(fastest)));
    time += unitTimes.back() * count;
    leastRecompute += unit.recompute[fastest] * count;
    savedThen += unit.saved[fastest] * count;
  }
  leastSaved = search::leastSaved(groups, allowed);
  mostCompute = whole.forward + whole.backwardInput + whole.backwardWeight;
  mostBackwardWeight = whole.backwardWeight;
}

namespace {

/// The lesser of each member.
UnitCosts leastOf(const UnitCosts &a, const UnitCosts &b) {
  UnitCosts least = a;
  auto take = [](auto &to, auto other) { to = std::min(to, other); };
  auto takeAll = [&](UnitCommunication &to, const UnitCommunication &other) {
    for (auto [name, axis] : unitAxes<Nanoseconds>)
      take(to.*axis, other.*axis);
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
  for (SharedParameters &each : least.shared) {
    auto other = std::ranges::find(b.shared, each.of, &SharedParameters::of);
    SharedParameters of =
        other == b.shared.end() ? SharedParameters{each.of} : *other;
    take(each.dense, of.dense);
    take(each.expert, of.expert);
    take(each.partial, of.partial);
  }
  take(least.outputBytes, b.outputBytes);
  return least;
}

} // namespace

BlockRange::BlockRange(const UnitCosts &unit, RecomputeMask allowed)
    : least(unit),
      mostCompute(unit.forward + unit.backwardInput + unit.backwardWeight),
      mostBackwardWeight(unit.backwardWeight) {
  Recompute fastest = fastestChoice(unit, allowed);
  time = unit.time(fastest);
  plain = time - unit.recompute[size_t(fastest)];
}

void BlockRange::add(const BlockRange &other) {
  least = leastOf(least, other.least);
  time = std::min(time, other.time);
  plain = std::min(plain, other.plain);
  mostCompute = std::max(mostCompute, other.mostCompute);
  mostBackwardWeight = std::max(mostBackwardWeight, other.mostBackwardWeight);
}

// The times are without recomputation, which is compared on its own: memory may
// enforce more of it than the fastest choice.
ChainIdeal::ChainIdeal(const Chain &chain,
                       const std::vector<BlockRange> &ranges,
                       RecomputeMask allowed) {
  for (const BlockRange &range : ranges)
    ideal.push_back(range.least);
  sumsOfIdeal.emplace(chain, ideal, allowed);
  sumsOfIdeal->time = sumsOfIdeal->leastRecompute;
  sumsOfIdeal->mostCompute = sumsOfIdeal->mostBackwardWeight = {};
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    const BlockRange &range = ranges[chain.blockOf(segment)];
    int64_t count = chain.count(segment);
    sumsOfIdeal->unitTimes[segment] = range.time;
    sumsOfIdeal->time += range.plain * count;
    sumsOfIdeal->mostCompute += range.mostCompute * count;
    sumsOfIdeal->mostBackwardWeight += range.mostBackwardWeight * count;
  }
}

void UnitMinima::takeLess(const UnitMinima &other) {
  least.costs = leastOf(least.costs, other.least.costs);
  least.unfilled.takeLess(other.least.unfilled);
  plain = std::min(plain, other.plain);
  fastest = std::min(fastest, other.fastest);
}

ChainIdeal::ChainIdeal(const Chain &chain, const std::vector<UnitMinima> &units,
                       RecomputeMask allowed) {
  for (const UnitMinima &unit : units)
    ideal.push_back(unit.least.costs);
  sumsOfIdeal.emplace(chain, ideal, allowed);
  sumsOfIdeal->time = {};
  sumsOfIdeal->unfilled.emplace();
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    workload::BlockIndex block = chain.blockOf(segment);
    auto choice = size_t(fastestChoice(ideal[block], allowed));
    Nanoseconds &time = sumsOfIdeal->unitTimes[segment];
    time = units[block].plain + ideal[block].recompute[choice];
    sumsOfIdeal->time += time * chain.count(segment);
    sumsOfIdeal->unfilled->add(units[block].least.unfilled,
                               chain.count(segment));
    time = std::max(time, units[block].fastest);
  }
  constexpr Nanoseconds unknown(int64_t(1) << 56);
  sumsOfIdeal->mostCompute = sumsOfIdeal->mostBackwardWeight = unknown;
}

} // namespace shardsmith::search
