// SPDX-License-Identifier: Apache-2.0
//
// Depth-first branch and bound over the reduced graph:
//
//   reduce ── narrow enough? ── yes ── bucket elimination: exact
//     │
//     no ── dual bound ── not below the incumbent? ── drop the subtree
//     │        └─ removes strategies that cannot be in a cheaper solution;
//     │           if it removed any, start again with the smaller graph
//     └─ branch on the strategies of one node
//
// Most graphs end in the first line; models with wide blocks in the second,
// after the bound has thinned them out.

#include "Search.h"
#include "BucketElimination.h"
#include "DualBound.h"
#include "WorkGraph.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardsmith::solver {
namespace {

constexpr int maximalPasses = 600;
constexpr int passesPerCheck = 5;
constexpr int passesBetweenRemovals = 25;
/// Passes go on while at their pace the gap closes in this many checks.
constexpr int64_t passesWorthwhile = 300;

class Search {
public:
  Search(const PlanProblem &problem, const SolverOptions &options,
         Budget &budget)
      : problem(problem), options(options), budget(budget),
        bestCost(options.costLimit) {
    if (options.incumbent.size() == problem.nodes.size())
      offer(options.incumbent);
  }

  PlanSolution run() {
    int64_t bound = explore(WorkGraph(problem));
    PlanSolution solution;
    solution.choice = best;
    solution.cost = isFound ? bestCost : forbiddenCost;
    solution.lowerBound = std::min(bound, bestCost);
    bool isClosed = bound >= bestCost;
    if (!isFound)
      solution.proof =
          isClosed ? SolutionKind::Infeasible : SolutionKind::Unknown;
    else
      solution.proof = isClosed ? SolutionKind::Exact : SolutionKind::Bounded;
    return solution;
  }

private:
  void offer(const std::vector<StrategyIndex> &choice) {
    int64_t cost = problem.cost(choice);
    if (cost >= bestCost)
      return;
    bestCost = cost;
    best = choice;
    isFound = true;
  }

  /// Returns a lower bound on the cost of everything in `graph`; what reaches
  /// `bestCost` need not be looked at again.
  int64_t explore(WorkGraph graph) {
    size_t triedAt = SIZE_MAX;
    while (true) {
      // Reductions, orders, copies: a few looks at every entry.
      budget.spend(8 * graph.countEntries());
      graph.reduce();
      if (graph.isInfeasible())
        return forbiddenCost;
      if (graph.constantCost() >= bestCost)
        return graph.constantCost();
      // Tables shrink with the strategies; look again when enough are gone.
      size_t strategies = countStrategies(graph);
      if (strategies <= triedAt - triedAt / 20) {
        triedAt = strategies;
        if (auto order = findOrder(graph))
          return eliminate(graph, *order);
      }
      raiseBound(graph);
      if (graph.constantCost() >= bestCost)
        return graph.constantCost();
      DualBound moved(graph);
      // Each time the gap is a quarter, look among the most promising
      // strategies alone: a better solution makes more of the others too
      // expensive.
      int64_t gap = bestCost - graph.constantCost();
      bool isTimeToLook = gap < lookedAt / 4;
      if (isTimeToLook)
        lookedAt = gap;
      bool improved = isTimeToLook && lookAmongPromising(graph, moved);
      if (removeExpensive(graph, moved) || improved)
        continue;
      if (budget.isSpent())
        return graph.constantCost();
      return branch(graph, moved);
    }
  }

  static size_t countStrategies(const WorkGraph &graph) {
    size_t count = 0;
    for (NodeIndex node : graph.aliveNodes())
      count += graph[node].size();
    return count;
  }

  /// None if to solve the graph exactly is too much work.
  std::optional<EliminationOrder> findOrder(const WorkGraph &graph) const {
    auto most = double(options.maximalWork);
    EliminationOrder order = findEliminationOrder(graph, most);
    if (order.total > most)
      return std::nullopt;
    return order;
  }

  /// Solves the graph exactly; returns its cost.
  int64_t eliminate(const WorkGraph &graph, const EliminationOrder &order) {
    budget.spend(int64_t(order.total));
    std::vector<StrategyIndex> choice(problem.nodes.size(), 0);
    int64_t cost = eliminateBuckets(graph, order, choice);
    if (cost >= forbiddenCost)
      return forbiddenCost;
    graph.complete(choice);
    offer(choice);
    return addCosts(graph.constantCost(), cost);
  }

  /// Moves costs until passes no longer raise the bound much.
  void raiseBound(WorkGraph &graph) {
    DualBound dual(graph);
    int64_t bound = addCosts(graph.constantCost(), dual.value());
    offerRounded(graph, dual);
    int64_t gap = bestCost - bound;
    for (int pass = 1; pass <= maximalPasses; ++pass) {
      if (bound >= bestCost || budget.isSpent())
        break;
      dual.ascend(pass / passesPerCheck % 2 == 1);
      budget.spend(graph.countEntries());
      if (pass % passesPerCheck != 0)
        continue;
      int64_t before = bound;
      bound = addCosts(graph.constantCost(), dual.value());
      offerRounded(graph, dual);
      if ((bestCost - bound) / passesWorthwhile > bound - before)
        break;
      // With half the gap many strategies can be told to be too expensive,
      // and the passes over the others are quicker.
      if (pass >= passesBetweenRemovals && bestCost - bound < gap / 2)
        break;
    }
    graph.move(dual.getMessages());
  }

  void offerRounded(const WorkGraph &graph, const DualBound &dual) {
    std::vector<size_t> positions = dual.round();
    std::vector<StrategyIndex> choice(problem.nodes.size(), 0);
    for (NodeIndex node : graph.aliveNodes())
      choice[node] = graph[node].strategies[positions[node]];
    graph.complete(choice);
    offer(choice);
  }

  /// Drops strategies that only assignments as expensive as the best known
  /// one contain. `dual` has no messages: `graph` is as it was moved.
  bool removeExpensive(WorkGraph &graph, const DualBound &dual) {
    std::vector<std::pair<NodeIndex, std::vector<bool>>> changes;
    for (NodeIndex node : graph.aliveNodes()) {
      std::vector<int64_t> marginals = dual.marginals(node, 0);
      std::vector<bool> keep(marginals.size());
      for (size_t s = 0; s < keep.size(); ++s)
        keep[s] = addCosts(graph.constantCost(), marginals[s]) < bestCost;
      if (std::find(keep.begin(), keep.end(), false) != keep.end())
        changes.emplace_back(node, std::move(keep));
    }
    for (auto &[node, keep] : changes)
      graph.keepOnly(node, keep);
    return !changes.empty();
  }

  /// Solves the graph exactly with only the strategies whose marginal is below
  /// a threshold, the highest at which that is little enough work. True if the
  /// best solution improved.
  bool lookAmongPromising(const WorkGraph &graph, const DualBound &dual) {
    std::map<NodeIndex, std::vector<int64_t>> marginals;
    std::vector<int64_t> all;
    for (NodeIndex node : graph.aliveNodes()) {
      marginals[node] = dual.marginals(node, 0);
      for (int64_t marginal : marginals[node])
        if (marginal < bestCost - graph.constantCost())
          all.push_back(marginal);
    }
    std::sort(all.begin(), all.end());
    // The largest part that is little enough work.
    std::optional<std::pair<WorkGraph, EliminationOrder>> solvable;
    size_t low = 0, high = all.size();
    for (int step = 0; step < 6 && low + 1 < high && !budget.isSpent();
         ++step) {
      size_t middle = low + (high - low) / 2;
      WorkGraph part = graph;
      for (const auto &[node, list] : marginals) {
        int64_t least = *std::min_element(list.begin(), list.end());
        std::vector<bool> keep(list.size());
        for (size_t s = 0; s < list.size(); ++s)
          keep[s] = list[s] <= std::max(all[middle], least);
        part.keepOnly(node, keep);
      }
      part.reduce();
      budget.spend(graph.countEntries());
      if (part.isInfeasible()) {
        low = middle;
        continue;
      }
      std::optional<EliminationOrder> order = findOrder(part);
      (order ? low : high) = middle;
      if (order)
        solvable.emplace(std::move(part), std::move(*order));
    }
    int64_t before = bestCost;
    if (solvable)
      eliminate(solvable->first, solvable->second);
    return bestCost < before;
  }

  int64_t branch(const WorkGraph &graph, const DualBound &dual) {
    NodeIndex widest = graph.aliveNodes().front();
    auto weight = [&](NodeIndex node) {
      return std::pair(graph[node].edges.size(), graph[node].size());
    };
    for (NodeIndex node : graph.aliveNodes())
      if (weight(node) > weight(widest))
        widest = node;

    std::vector<int64_t> marginals = dual.marginals(widest, 0);
    std::vector<size_t> order(marginals.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(marginals[a], a) < std::pair(marginals[b], b);
    });
    int64_t result = forbiddenCost;
    for (size_t s : order) {
      int64_t known = addCosts(graph.constantCost(), marginals[s]);
      if (known >= bestCost || budget.isSpent()) {
        result = std::min(result, known);
        continue;
      }
      WorkGraph child = graph;
      std::vector<bool> keep(marginals.size(), false);
      keep[s] = true;
      child.keepOnly(widest, keep);
      result = std::min(result, std::max(known, explore(std::move(child))));
    }
    return std::max(result, graph.constantCost());
  }

  const PlanProblem &problem;
  const SolverOptions &options;
  Budget &budget;
  std::vector<StrategyIndex> best;
  int64_t bestCost;
  bool isFound = false;
  /// The gap when promising strategies were last looked at alone.
  int64_t lookedAt = INT64_MAX;
};

} // namespace

PlanSolution searchWithoutMemory(const PlanProblem &problem,
                                 const SolverOptions &options, Budget &budget) {
  return Search(problem, options, budget).run();
}

} // namespace shardsmith::solver

namespace shardsmith {

PlanSolution solve(const PlanProblem &problem, const SolverOptions &options) {
  solver::Budget budget(options.timeLimitSeconds, options.effort,
                        options.mustStop);
  SolverOptions relaxed = options;
  if (problem.memoryLimit && !options.incumbent.empty() &&
      problem.peakBytes(options.incumbent) > *problem.memoryLimit)
    relaxed.incumbent.clear();
  PlanSolution solution = solver::searchWithoutMemory(problem, relaxed, budget);
  bool fits = !problem.memoryLimit || !solution.hasChoice() ||
              problem.peakBytes(solution.choice) <= *problem.memoryLimit;
  if (!fits)
    solution =
        solver::searchWithMemory(problem, relaxed, budget, solution.lowerBound);
  solution.effort = options.effort - budget.getEffortLeft();
  return solution;
}

} // namespace shardsmith
