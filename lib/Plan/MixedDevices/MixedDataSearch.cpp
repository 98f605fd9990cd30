// SPDX-License-Identifier: Apache-2.0

#include "MixedDataSearch.h"
#include "../Space/PoolSequences.h"
#include "MicroBatchBalancing.h"

#include <algorithm>
#include <map>

namespace shardsmith::search {

class MixedDataSearch::Run {
public:
  Run(const MixedDataSearch &search, const ParallelConfiguration &degrees,
      const std::vector<int64_t> &ranksOnPools, Nanoseconds atMost)
      : context(search.context),
        configurationSearch(search.configurationSearch), degrees(degrees),
        ranksOnPools(ranksOnPools), atMost(atMost),
        batches(ceilDivide(context.workload.globalBatch, degrees.microBatch)) {
    for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool)
      if (ranksOnPools[pool] > 0)
        kinds.push_back({pool, ranksOnPools[pool], {}, {}});
  }

  ConfigurationResult take() {
    Nanoseconds limit = atMost;
    std::optional<Nanoseconds> bound;
    while (!result.isPartial && findMost(limit)) {
      Nanoseconds step;
      for (const Kind &kind : kinds)
        step = std::max(step, kind.at(kind.most).bound);
      bound = step;
      for (const Kind &kind : kinds)
        if (const std::optional<Strategy> &strategy =
                kind.at(kind.most).strategy)
          deal(*strategy);
      limit = std::min(step, limit) - Nanoseconds(1);
      if (result.best)
        limit = std::min(limit, result.best->step - Nanoseconds(1));
    }
    if (bound && (!result.best || *bound < result.best->step))
      result.leastLeft = std::min(result.leastLeft, *bound);
    return std::move(result);
  }

private:
  /// S_k(m).
  struct Known {
    /// A lower bound on it.
    Nanoseconds bound;
    /// Whether it was searched; else it is only bounded.
    bool isSearched = false;
    /// A strategy that reaches the step, or a slightly longer one.
    std::optional<Strategy> strategy;
  };
  struct Kind {
    unsigned pool;
    int64_t ranks;
    std::map<int64_t, Known> known;
    /// An upper bound on M_k.
    int64_t most = 0;

    const Known &at(int64_t count) const { return known.at(count); }
  };

  /// Whether the bound is within the limit. A saturated bound never is, even if
  /// there is no limit.
  static bool isAtMost(Nanoseconds bound, Nanoseconds limit) {
    return bound <= limit && !bound.isSaturated();
  }

  bool areEnough() const {
    Quantity<struct BatchesUnit> sum(0);
    for (const Kind &kind : kinds)
      sum += Quantity<BatchesUnit>(kind.most) * kind.ranks;
    return sum.count() >= batches;
  }

  ParallelConfiguration classOf(const Kind &kind, int64_t microBatches) const {
    ParallelConfiguration each = degrees;
    each.kind = {kind.pool, microBatches, ranksOnPools};
    return each;
  }

  /// Finds M_k for all kinds, from cheap bounds to close ones. Returns false as
  /// soon as they are too few together.
  bool findMost(Nanoseconds limit) {
    for (Kind &kind : kinds) {
      // Of so many, by kernels and communication alone.
      bool isWhole = !context.workload.microBatchObstacle.empty();
      int64_t within = 0, above = (isWhole ? 1 : batches) + 1;
      while (above - within > 1) {
        int64_t middle = within + (above - within) / 2;
        Nanoseconds bound =
            configurationSearch.unitBound(classOf(kind, middle));
        (isAtMost(bound, limit) ? within : above) = middle;
      }
      kind.most = within;
      if (within == 0)
        return false;
    }
    if (!areEnough())
      return false;
    for (bool isSearch : {false, true})
      for (Kind &kind : kinds)
        while (!isWithin(kind, isSearch, limit)) {
          --kind.most;
          if (kind.most == 0 || !areEnough() || result.isPartial)
            return false;
        }
    return areEnough();
  }

  /// Whether S_k(kind.most) may be within the limit.
  bool isWithin(Kind &kind, bool isSearch, Nanoseconds limit) {
    ParallelConfiguration each = classOf(kind, kind.most);
    auto [entry, isNew] = kind.known.try_emplace(kind.most);
    Known &known = entry->second;
    if (known.isSearched || !isAtMost(known.bound, limit))
      return isAtMost(known.bound, limit);
    if (!isSearch) {
      known.bound =
          std::max(known.bound, configurationSearch.variantBound(each, limit));
      return isAtMost(known.bound, limit);
    }
    ConfigurationResult found = configurationSearch.run(each, limit, limit, {});
    result.isPartial |= found.isPartial;
    result.counts += found.counts;
    known.bound = found.leastLeft;
    if (found.best) {
      known.bound = std::min(known.bound, found.best->step);
      known.strategy = std::move(found.best->strategy);
    }
    known.isSearched = isAtMost(known.bound, limit);
    if (!known.isSearched)
      known.bound = limit + Nanoseconds(1);
    return known.isSearched;
  }

  void deal(const Strategy &strategy) {
    std::optional<Candidate> candidate =
        placeReplicas(context, strategy, ranksOnPools);
    Nanoseconds most =
        result.best ? result.best->step - Nanoseconds(1) : atMost;
    if (candidate && candidate->step <= most)
      result.best = std::move(candidate);
  }

  const CostContext &context;
  ConfigurationSearch &configurationSearch;
  ParallelConfiguration degrees;
  std::vector<int64_t> ranksOnPools;
  Nanoseconds atMost;
  /// Of a step.
  int64_t batches;
  std::vector<Kind> kinds;
  ConfigurationResult result;
};

ConfigurationResult MixedDataSearch::run(const ParallelConfiguration &degrees,
                                         Nanoseconds atMost) const {
  ConfigurationResult result;
  Nanoseconds limit = atMost;
  for (const std::vector<int64_t> &ranksOnPools :
       replicaPlacements(context.topology, degrees.strategy())) {
    ConfigurationResult found = Run(*this, degrees, ranksOnPools, limit).take();
    result.counts += found.counts;
    result.isPartial |= found.isPartial;
    result.leastLeft = std::min(result.leastLeft, found.leastLeft);
    if (found.best) {
      limit = found.best->step - Nanoseconds(1);
      result.best = std::move(found.best);
    }
    if (result.isPartial)
      break;
  }
  return result;
}

} // namespace shardsmith::search
