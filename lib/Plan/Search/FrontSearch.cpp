// SPDX-License-Identifier: Apache-2.0
//
// Time against money: the plans that no other is as fast as and as cheap as.

#include "BranchAndBound.h"

#include "shardsmith/Plan/Search/SearchProgress.h"

#include <map>

namespace shardsmith::search {

SearchResult BranchAndBound::searchFront() {
  std::map<int64_t, std::vector<OpenConfiguration>, std::greater<>> byDevices;
  int64_t leastBound = unlimited;
  for (const OpenConfiguration &each : openConfigurations()) {
    byDevices[each.degrees.ranks()].push_back(each);
    leastBound = std::min(leastBound, each.bound);
  }
  ParetoPlans front(objective);
  int64_t left = unlimited;
  bool isProved = true;
  for (const auto &[devices, configurations] : byDevices) {
    int64_t most = front.longestStep(devices).count();
    ranking = Ranking(1, most);
    leftOut = unlimited;
    int64_t leftHere = leastLeft(searchAmong(configurations));
    left = std::min(left, leftHere);
    std::vector<RankedPlan> plans = ranking.plans(context, objective);
    isProved &= leftHere > most || leftHere >= ranking.leastCost();
    if (plans.empty())
      continue;
    front.add(std::move(plans.front()));
    publishFront(front, leastBound);
  }
  std::vector<RankedPlan> plans = front.take();
  int64_t cost = unlimited;
  if (!plans.empty())
    cost = objective.cost(plans.front().estimate.step(),
                          plans.front().strategy.rankCount());
  return finished(std::move(plans), cost, left, isProved);
}

void BranchAndBound::publishFront(ParetoPlans front, int64_t leastBound) {
  if (!options.progress)
    return;
  Outcome outcome{.counts = counts, .left = leastBound, .isStopped = true};
  outcome.counts.blockTables += configurationSearch.tableCount();
  options.progress->publish([context = context, objective = objective,
                             plans = front.take(), outcome]() mutable {
    const RankedPlan &first = plans.front();
    outcome.cost =
        objective.cost(first.estimate.step(), first.strategy.rankCount());
    return resultOf(plans, outcome, context, objective);
  });
}

} // namespace shardsmith::search
