// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Search/Search.h"

#include "BranchAndBound.h"
#include "Infeasible.h"

#include "shardsmith/Plan/Search/SearchProgress.h"

namespace shardsmith {

std::string_view nameOf(ProofKind kind) {
  return kind == ProofKind::Exact ? "exact" : "bounded";
}

double SearchResult::gap() const {
  if (lowerBound <= 0 || cost <= lowerBound)
    return 0;
  return double(cost - lowerBound) / double(lowerBound);
}

namespace search {

SearchResult BranchAndBound::run() {
  if (options.objective == SearchObjective::Front)
    return searchFront();
  std::vector<OpenConfiguration> configurations = openConfigurations();
  int64_t left = leastLeft(searchAmong(configurations));
  int64_t cost = ranking.leastCost();
  bool isProved = cost != unlimited && left >= cost;
  publish({.cost = cost,
           .left = left,
           .isProved = isProved,
           .isStopped = isStopped});
  if (options.simplestOfEquals && cost != unlimited && !isStopped)
    preferSimplest(configurations);
  return finished(ranking.plans(context, objective), cost, left, isProved);
}

SearchResult BranchAndBound::finished(std::vector<RankedPlan> plans,
                                      int64_t cost, int64_t left,
                                      bool isProved) {
  counts.blockTables += configurationSearch.tableCount();
  return resultOf(std::move(plans),
                  {.counts = counts,
                   .cost = cost,
                   .left = left,
                   .isProved = isProved,
                   .isStopped = isStopped},
                  context, objective);
}

void BranchAndBound::publish(Outcome outcome) {
  if (!options.progress || options.objective == SearchObjective::Front ||
      ranking.leastCost() == unlimited)
    return;
  if (!published)
    published = std::make_shared<const Ranking>(ranking);
  outcome.counts = counts;
  outcome.counts.blockTables += configurationSearch.tableCount();
  options.progress->publish(
      [context = context, objective = objective, best = published, outcome] {
        return resultOf(best->plans(context, objective), outcome, context,
                        objective);
      });
}

} // namespace search

SearchResult searchStrategies(const CostContext &context,
                              const SearchOptions &options) {
  auto searchOnly = [](const CostContext &context,
                       const SearchOptions &options) {
    return search::BranchAndBound(context, options).run();
  };
  SearchResult result = searchOnly(context, options);
  if (result.plans.empty() && !result.stoppedEarly && !options.receiver) {
    SearchOptions any = options;
    if (any.objective == SearchObjective::Front)
      any.objective = SearchObjective::Time;
    result.infeasibility =
        search::explainInfeasibility(context, any, searchOnly);
  }
  return result;
}

} // namespace shardsmith
