// SPDX-License-Identifier: Apache-2.0
//
// In which order configurations are bounded and searched.

#include "../MixedDevices/MixedDataSearch.h"
#include "BranchAndBound.h"

#include <algorithm>
#include <utility>

namespace shardsmith::search {

std::vector<OpenConfiguration> BranchAndBound::openConfigurations() {
  ConfigurationBounds &bounds = configurationSearch.bounds();
  bounds.priceOps(all, threads, [this] { return mustStop(); });
  isStopped |= mustStop();
  std::vector<OpenConfiguration> configurations;
  for (const ParallelConfiguration &degrees : all) {
    ++counts.configurations;
    // Who has been stopped knows nothing of what is open.
    Nanoseconds step = isStopped ? Nanoseconds(0) : bounds.ofOps(degrees);
    if (step.isSaturated()) {
      ++counts.configurationsTooLarge;
      continue;
    }
    configurations.push_back({objective.cost(step, degrees.ranks()), degrees});
  }
  std::ranges::sort(configurations);
  return configurations;
}

void BranchAndBound::add(const ParallelConfiguration &degrees,
                         Candidate candidate) {
  int64_t cost = objective.cost(candidate.step, degrees.ranks());
  std::optional<Strategy> forReceiver;
  if (options.receiver && cost <= options.receiver->limit())
    forReceiver = candidate.strategy;
  bool isKept = ranking.add(cost, degrees, std::move(candidate));
  published.reset();
  if (!isKept || !forReceiver)
    return;
  StepEstimate estimate = estimateStep(context, *forReceiver);
  auto dollars = objective.dollars(estimate.step(), degrees.ranks());
  options.receiver->take(
      {std::move(*forReceiver), std::move(estimate), dollars, ""});
}

std::vector<OpenConfiguration>
BranchAndBound::searchRound(std::span<const OpenConfiguration> round,
                            int64_t most, const Visit &visit) {
  int64_t least = ranking.leastCost();
  std::vector<ConfigurationResult> results(round.size());
  threads.share(round.size(), [&](size_t i) {
    const ParallelConfiguration &degrees = round[i].degrees;
    Nanoseconds longest = objective.longestStep(most, degrees.ranks());
    Nanoseconds best = objective.longestStep(least, degrees.ranks());
    results[i] = visit(round[i], longest, best);
  });

  std::vector<OpenConfiguration> postponed;
  for (size_t i = 0; i < round.size(); ++i) {
    ConfigurationResult &result = results[i];
    counts += result.counts;
    if (result.postponed) {
      postponed.push_back(round[i]);
      postponed.back().layouts = *result.postponed;
    }
    isStopped |= result.isPartial;
    isLimited |= result.isLimited;
    comparisons += result.comparisons;
    if (!result.leastLeft.isSaturated())
      leftOut = std::min(
          leftOut, objective.cost(result.leastLeft, round[i].degrees.ranks()));
    if (!result.best)
      continue;
    add(round[i].degrees, std::move(*result.best));
  }
  publish(stoppedNow());
  return postponed;
}

/// The bound of the level behind `level`.
Nanoseconds BranchAndBound::tighterBound(const ParallelConfiguration &degrees,
                                         BoundLevel level,
                                         Nanoseconds longest) {
  return level == BoundLevel::Ops
             ? configurationSearch.relaxedBound(degrees, longest)
             : configurationSearch.variantBound(degrees, longest);
}

void BranchAndBound::tighten(std::span<const OpenConfiguration> round,
                             std::vector<OpenConfiguration> &near) {
  int64_t most = limit();
  std::vector<Nanoseconds> steps(round.size());
  std::vector<size_t> shares;
  for (const OpenConfiguration &each : round)
    shares.push_back(configurationSearch.shareOf(each.degrees));
  threads.shareGroups(shares, [&](size_t i) {
    const ParallelConfiguration &degrees = round[i].degrees;
    Nanoseconds longest = objective.longestStep(most, degrees.ranks());
    // A configuration that is not bounded keeps the bound that it has.
    if (!mustStop())
      steps[i] = tighterBound(degrees, round[i].level, longest);
  });
  for (size_t i = 0; i < round.size(); ++i) {
    if (steps[i].isSaturated())
      continue;
    const ParallelConfiguration &degrees = round[i].degrees;
    BoundLevel level = BoundLevel(int(round[i].level) + 1);
    int64_t bound = objective.cost(steps[i], degrees.ranks());
    near.push_back({std::max(bound, round[i].bound), degrees, level});
    std::ranges::push_heap(near, std::greater());
  }
}

int64_t BranchAndBound::searchAmong(
    const std::vector<OpenConfiguration> &configurations) {
  canMix = options.unevenShares && context.topology.pools().size() > 1 &&
           !configurations.empty();
  openBound = configurations.empty() ? 0 : configurations.front().bound;
  // Balanced plans come first: some are found quickly and are a good limit for
  // all others.
  if (canMix && !mustStop())
    addBalancedPlans(configurations);
  if (!isStopped)
    findIncumbents(configurations);
  int64_t open = searchEven(configurations);
  return canMix ? std::min(open, searchMixed(configurations)) : open;
}

int64_t BranchAndBound::searchMixed(
    const std::vector<OpenConfiguration> &configurations) {
  MixedDataSearch spreads(context, configurationSearch);
  std::vector<OpenConfiguration> open;
  for (const OpenConfiguration &each : configurations)
    if (each.degrees.data > 1)
      open.push_back(each);
  for (size_t done = 0; done < open.size(); done += roundSize) {
    int64_t bound = open[done].bound;
    if (bound > limit())
      return unlimited;
    isStopped |= mustStop();
    if (isFound() || isStopped || isEnough())
      return bound;
    size_t size = std::min(roundSize, open.size() - done);
    searchRound(std::span(open).subspan(done, size), limit(),
                [&](const OpenConfiguration &each, Nanoseconds atMost,
                    Nanoseconds) { return spreads.run(each.degrees, atMost); });
    if (isStopped)
      return bound;
  }
  return unlimited;
}

// Configurations wait up to three times: for each closer bound, and to be
// searched. Mostly the least bound is next; but while thousands wait for a
// closer one, the best of those that have it are looked at now and then, as
// plans make the limit fall. It falls most with the first plans of the search
// proper, and far above it a configuration takes long, so the first rounds are
// small: 1, 2, 4, then 8. What takes longest far above the best plan is left
// until all configurations were searched without it: layouts beside those of
// the block tables, and configurations with thousands of layouts whose sums are
// within the limit, so that stages have to be played for each, although the
// schedules never are. The best plan excludes most of both by their bounds.
int64_t BranchAndBound::searchEven(const std::vector<OpenConfiguration> &far,
                                   bool areAll) {
  std::vector<OpenConfiguration> near, postponed;
  size_t done = 0, waited = 0, searched = 0;
  int64_t postponedBound = unlimited;
  bool mayPostpone = true;
  while (true) {
    int64_t farBound = done < far.size() ? far[done].bound : unlimited;
    int64_t nearBound = near.empty() ? unlimited : near.front().bound;
    int64_t open = std::min(farBound, nearBound), most = limit();
    bool isLeft = !postponed.empty() && postponedBound <= most;
    // Without as many plans as are asked for there is no limit.
    if (isLeft && (open == unlimited || open > most)) {
      near = std::exchange(postponed, {});
      std::ranges::make_heap(near, std::greater());
      postponedBound = unlimited;
      mayPostpone = false;
      continue;
    }
    open = std::min(open, postponedBound);
    if (open == unlimited || open > most) {
      counts.configurationsBoundedOut += int64_t(far.size() - searched);
      return unlimited;
    }
    if (isFound() || isEnough())
      return open;
    if (isStopped || mustStop()) {
      isStopped = true;
      return open;
    }
    // Plans whose data ranks lie on several kinds of device come later.
    if (areAll && !canMix)
      openBound = open;
    if (near.empty() || nearBound > most ||
        (nearBound > farBound && waited < patience)) {
      size_t size = std::min(farRoundSize, far.size() - done);
      tighten(std::span(far).subspan(done, size), near);
      done += size;
      waited += size;
      continue;
    }
    BoundLevel level = near.front().level;
    std::vector<OpenConfiguration> round;
    size_t size = nearRoundSize;
    if (level == BoundLevel::Variants)
      size = hasFewUnits() ? smallRoundSize : std::min(roundSize, searched + 1);
    while (!near.empty() && round.size() < size &&
           near.front().level == level && near.front().bound <= most) {
      std::ranges::pop_heap(near, std::greater());
      round.push_back(near.back());
      near.pop_back();
    }
    if (level != BoundLevel::Variants) {
      tighten(round, near);
      continue;
    }
    std::vector<OpenConfiguration> later = searchRound(
        round, most,
        [&](const OpenConfiguration &each, Nanoseconds atMost,
            Nanoseconds best) {
          ConfigurationSearch::Scope scope{.layouts = each.layouts};
          // Where effort ends the search all of it is for the best bounds.
          if (mayPostpone && !isLimited && !hasFewUnits())
            scope = {.layouts = LayoutScope::Tables, .playEffort = firstEffort};
          return configurationSearch.run(each.degrees, atMost, best, scope);
        });
    if (isStopped)
      return std::min({farBound, round.front().bound, postponedBound});
    searched += round.size() - later.size();
    for (const OpenConfiguration &each : later) {
      postponed.push_back(each);
      postponedBound = std::min(postponedBound, each.bound);
    }
    waited = 0;
  }
}

} // namespace shardsmith::search
