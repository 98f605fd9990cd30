// SPDX-License-Identifier: Apache-2.0

#include "ForcedRecompute.h"

#include <algorithm>
#include <utility>

namespace shardsmith::search {

namespace {

bool areAlike(const std::vector<unsigned> &pools) {
  return std::ranges::all_of(
      pools, [&](unsigned pool) { return pool == pools.front(); });
}

} // namespace

ForcedRecompute::ForcedRecompute(const PartitionProblem &problem) {
  const Chain &chain = problem.chain;
  if (chain.segments() > mostSegments || !areAlike(problem.pools))
    return;
  unsigned pool = problem.pools.front();
  std::vector<Segment> each;
  auto memoryOf = [&](const StageWork &work) {
    return problem.model.memory(0, pool, work).memory.total();
  };
  Bytes overhead = memoryOf({});
  double room = double((problem.model.memoryLimit(pool) - overhead).count());
  for (int64_t rank = 0; rank < problem.outer.pipeline; ++rank) {
    std::optional<Bytes> budget = problem.model.savedBudget(rank, pool, {});
    if (!budget || budget->isSaturated())
      return;
    budgets.push_back(double(budget->count()));
  }
  sums = {0};
  for (double budget : budgets)
    sums.push_back(sums.back() + budget);
  leastUpTo = leastFrom = budgets;
  for (size_t rank = 1; rank < budgets.size(); ++rank)
    leastUpTo[rank] = std::min(leastUpTo[rank], leastUpTo[rank - 1]);
  for (size_t rank = budgets.size() - 1; rank-- > 0;)
    leastFrom[rank] = std::min(leastFrom[rank], leastFrom[rank + 1]);

  // What units share counts with the first segment that has it: whichever units
  // ranks take, none holds less of a group than these shares of its units.
  StageWork work;
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    const UnitCosts &unit = problem.prices[pool][chain.blockOf(segment)];
    auto fastest = size_t(fastestChoice(unit, problem.allowed));
    Bytes before = memoryOf(work);
    work.append(unit, Recompute(fastest), chain.count(segment));
    // Only what is there however units are cut.
    work.saved = work.transient = work.outputBytes = {};
    work.largestUnitParameters = 0;
    double held = double((memoryOf(work) - before).count());
    each.push_back({double(unit.saved[fastest].count()),
                    held / double(chain.count(segment)) / room});
    double least = each.back().saved;
    for (const RecomputeStep &step : recomputeSteps(unit, problem.allowed)) {
      steps.push_back({segment, step});
      least -= step.bytes;
    }
    // Choices that are too large to reckon with.
    if (least != double(leastSaved({{&unit, 1}}, problem.allowed).count()))
      return;
  }
  segments = std::move(each);
  std::ranges::sort(steps, {}, [](const Step &step) {
    return std::pair(step.perUnit.price(), step.segment);
  });
}

ForcedRecompute::Budget ForcedRecompute::budgetOf(RankRange ranks) const {
  auto begin = size_t(ranks.begin), end = size_t(ranks.end);
  Budget budget{sums[end] - sums[begin], budgets[begin]};
  if (end == budgets.size())
    budget.least = leastFrom[begin];
  else if (begin == 0)
    budget.least = leastUpTo[end - 1];
  else
    for (size_t rank = begin; rank < end; ++rank)
      budget.least = std::min(budget.least, budgets[rank]);
  return budget;
}

/// What parameters hold takes the same share of a rank's budget as of its
/// room; it is missed least where the budget is least.
Nanoseconds ForcedRecompute::least(RankRange ranks,
                                   std::span<const int64_t> counts) const {
  if (!isKnown() || ranks.begin == ranks.end)
    return {};
  double saved = 0, held = 0;
  for (size_t segment = 0; segment < counts.size(); ++segment) {
    saved += segments[segment].saved * double(counts[segment]);
    held += segments[segment].held * double(counts[segment]);
  }
  Budget budget = budgetOf(ranks);
  // A little more than there is, against rounding.
  constexpr double slack = 1 + 1e-9;
  double excess =
      saved - budget.total * slack + held * budget.least / slack -
      double(64 * (ranks.end - ranks.begin) * int64_t(counts.size()) + 64);
  double time = 0;
  for (const Step &step : steps) {
    if (excess <= 0)
      break;
    double bytes = step.perUnit.bytes * double(counts[step.segment]);
    time += step.perUnit.price() * std::min(bytes, excess);
    excess -= bytes;
  }
  if (excess > 0)
    return Nanoseconds::saturated();
  return Nanoseconds(int64_t(time / slack));
}

} // namespace shardsmith::search
