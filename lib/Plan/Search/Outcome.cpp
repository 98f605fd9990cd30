// SPDX-License-Identifier: Apache-2.0

#include "Outcome.h"

#include <algorithm>

namespace shardsmith::search {

SearchResult resultOf(std::vector<RankedPlan> plans, const Outcome &outcome,
                      const CostContext &context, const Objective &objective) {
  SearchResult result;
  result.counts = outcome.counts;
  result.stoppedEarly = outcome.isStopped;
  result.plans = std::move(plans);
  if (result.plans.empty()) {
    result.lowerBound = outcome.isStopped ? outcome.left : 0;
    return result;
  }
  const RankedPlan &first = result.plans.front();
  result.cost =
      objective.cost(first.estimate.step(), first.strategy.rankCount());
  result.lowerBound = std::min(outcome.cost, outcome.left);
  bool isBest = result.cost == outcome.cost;
  result.proof = outcome.isProved && isBest && !outcome.isStopped
                     ? ProofKind::Exact
                     : ProofKind::Bounded;
  result.unusedDevices =
      context.topology.deviceCount() - first.strategy.rankCount();
  return result;
}

} // namespace shardsmith::search
