// SPDX-License-Identifier: Apache-2.0

#include "RankPricer.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

/// The mix in which every group has its fastest choice.
RecomputeMix fastestMix(const std::vector<UnitGroup> &groups,
                        RecomputeMask allowed) {
  RecomputeMix mix;
  for (const UnitGroup &group : groups) {
    auto best = size_t(fastestChoice(*group.unit, allowed));
    RecomputeCounts &counts = mix.counts.emplace_back();
    counts[best] = group.count;
    mix.time += group.unit->recompute[best] * group.count;
    mix.saved += group.unit->saved[best] * group.count;
    mix.transient =
        std::max(mix.transient, transientOf(*group.unit, Recompute(best)));
  }
  return mix;
}

/// The least transient of the units, each with the choice that needs least.
Bytes leastTransient(const std::vector<UnitGroup> &groups,
                     RecomputeMask allowed) {
  Bytes largest;
  for (const UnitGroup &group : groups) {
    Bytes least = Bytes::saturated();
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      if (allowed[choice])
        least = std::min(least, transientOf(*group.unit, Recompute(choice)));
    largest = std::max(largest, least);
  }
  return largest;
}

} // namespace

RankPricer::RankPricer(const StepModel &model, const PipelineLinks &links,
                       const Chain &chain, const UnitPrices &prices,
                       RecomputeMask allowed)
    : model(model), links(links), chain(chain), prices(prices),
      givenPrices(prices.size()), allowed(allowed) {
  for (size_t segment = 0; segment < chain.segments(); ++segment)
    if (chain.given(segment))
      for (size_t pool = 0; pool < prices.size(); ++pool)
        givenPrices[pool].emplace(
            segment,
            chain.inPlans(segment, prices[pool][chain.blockOf(segment)]));
}

const UnitCosts &RankPricer::unitOf(unsigned pool, size_t segment) const {
  auto given = givenPrices[pool].find(segment);
  return given == givenPrices[pool].end() ? prices[pool][chain.blockOf(segment)]
                                          : given->second;
}

RankPricer::Base RankPricer::baseOf(int64_t rank, unsigned pool,
                                    const Piece &piece) const {
  Base base;
  for (const Piece::Part &part : piece.parts) {
    const UnitCosts &unit = unitOf(pool, part.segment);
    base.groups.push_back({&unit, part.count});
    base.work.append(unit, Recompute::None, part.count);
  }
  base.work.saved = {};
  base.work.recompute = {};
  std::vector<PipelineMessage> messages;
  for (size_t segment : piece.senders)
    messages.push_back({unitOf(pool, segment).outputBytes,
                        links.ofRank(rank)[messages.size()]});
  base.times = model.times(pool, base.work, messages);
  base.times.shared = model.sharedExchange(base.work, links.slowest());
  base.fastest = fastestMix(base.groups, allowed);
  return base;
}

RankPricer::Base &RankPricer::knownBaseOf(int64_t rank, unsigned pool,
                                          const Piece &piece) {
  auto [entry, isNew] = basesOfPieces.try_emplace({links.placeOf(rank), piece});
  if (isNew)
    entry->second = baseOf(rank, pool, piece);
  return entry->second;
}

Bytes RankPricer::memory(int64_t rank, unsigned pool, const Base &base,
                         Bytes saved, Bytes transient) const {
  StageWork work = base.work;
  work.saved = saved;
  work.transient = transient;
  return model.memory(rank, pool, work).memory.total();
}

std::optional<RecomputeMix> RankPricer::mixOf(int64_t rank, unsigned pool,
                                              const Base &base) const {
  Bytes limit = model.memoryLimit(pool);
  if (memory(rank, pool, base, base.fastest.saved, base.fastest.transient) <=
      limit)
    return base.fastest;
  auto budget = [&](Bytes transient) {
    StageWork work = base.work;
    work.transient = transient;
    return model.savedBudget(rank, pool, work);
  };
  return cheapestMix(base.groups, allowed, budget);
}

/// The same piece without the message of its last unit, which a longer piece
/// does not send.
RankPricer::Base RankPricer::withoutMessage(const Base &base) {
  Base smallest = base;
  smallest.work.outputBytes = {};
  smallest.times.messages = smallest.times.pipeline = {};
  return smallest;
}

Nanoseconds RankPricer::least(int64_t rank, unsigned pool,
                              const Base &base) const {
  Base smallest = withoutMessage(base);
  std::optional<RecomputeMix> mix = mixOf(rank, pool, smallest);
  if (!mix)
    return Nanoseconds::saturated();
  model.setRecompute(smallest.times, smallest.work, mix->time);
  return smallest.times.perMicroBatch();
}

RankPricer::Priced RankPricer::price(int64_t rank, unsigned pool,
                                     const Base &base) const {
  Priced found{{}, mixOf(rank, pool, base)};
  RankOption &option = found.option;
  if (!found.mix) {
    Base smallest = withoutMessage(base);
    option.isHopeless =
        memory(rank, pool, smallest, leastSaved(base.groups, allowed),
               leastTransient(base.groups, allowed)) > model.memoryLimit(pool);
    return found;
  }
  RankTimes times = base.times;
  model.setRecompute(times, base.work, found.mix->time);
  option.perMicroBatch = times.perMicroBatch();
  option.idle = times.idle;
  option.tail = base.times.tail();
  // Ranks that no link joins cannot exchange messages, so the piece does not
  // fit.
  option.fits = !option.perMicroBatch.isSaturated() &&
                !option.idle.isSaturated() && !option.tail.isSaturated();
  return found;
}

const RankPricer::Priced &RankPricer::priced(int64_t rank, unsigned pool,
                                             Base &base) const {
  if (base.pricedBy.size() <= size_t(rank))
    base.pricedBy.resize(size_t(rank) + 1);
  std::optional<Priced> &found = base.pricedBy[size_t(rank)];
  if (!found)
    found = price(rank, pool, base);
  return *found;
}

} // namespace shardsmith::search
