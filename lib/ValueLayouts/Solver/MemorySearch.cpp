// SPDX-License-Identifier: Apache-2.0
//
// Lagrangian relaxation of the memory limit, inside a branch and bound.
//
// With a price p_t >= 0 per byte and moment t, every assignment that fits
// costs at least
//
//   min over x of  cost(x) + sum_t p_t (bytes_t(x) - limit)
//
// and the minimum is a problem without limit, which `searchWithoutMemory`
// solves. Prices are integers in units of 2^-priceBits ns per byte; priced
// node costs round down and the refund rounds up, so the bound stays true.

#include "Search.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace shardsmith::solver {
namespace {

constexpr int priceBits = 32;
constexpr int rootRounds = 60;
constexpr int childRounds = 12;

/// Moments at which bytes can be largest: right before the first interval
/// ends after others have begun.
std::vector<int64_t> peakTimes(const PlanProblem &problem) {
  std::set<int64_t> begins, ends;
  for (const PlanNode &node : problem.nodes) {
    for (const MemoryPiece &piece : node.memory) {
      if (piece.begin >= piece.end)
        continue;
      begins.insert(piece.begin);
      ends.insert(piece.end);
    }
  }
  std::vector<int64_t> times;
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    auto next = std::next(begin);
    auto end = ends.upper_bound(*begin);
    if (next == begins.end() || *end <= *next)
      times.push_back(*begin);
  }
  return times;
}

/// A piece as a half-open range of rows (positions in `peakTimes`).
struct RowRange {
  size_t begin;
  size_t end;
};

class MemorySearch {
public:
  MemorySearch(const PlanProblem &problem, const SolverOptions &options,
               Budget &budget)
      : problem(problem), options(options), budget(budget),
        limit(*problem.memoryLimit), times(peakTimes(problem)),
        bestCost(options.costLimit) {
    for (const PlanNode &node : problem.nodes) {
      auto &list = ranges.emplace_back();
      for (const MemoryPiece &piece : node.memory) {
        auto position = [&](int64_t time) {
          return size_t(std::lower_bound(times.begin(), times.end(), time) -
                        times.begin());
        };
        list.push_back({position(piece.begin), position(piece.end)});
      }
    }
    incident.resize(problem.nodes.size());
    for (const PlanEdge &edge : problem.edges) {
      incident[edge.first].push_back(&edge);
      incident[edge.second].push_back(&edge);
    }
    if (!options.incumbent.empty())
      offer(options.incumbent);
  }

  PlanSolution run(int64_t knownBound) {
    std::vector<std::vector<bool>> allowed;
    for (const PlanNode &node : problem.nodes)
      allowed.emplace_back(node.costs.size(), true);
    std::vector<int64_t> prices(times.size(), 0);
    int64_t bound = std::max(knownBound, explore(allowed, prices, rootRounds));
    PlanSolution solution;
    solution.choice = best;
    solution.cost = isFound ? bestCost : forbiddenCost;
    solution.lowerBound = std::min(bound, bestCost);
    bool isClosed = bound >= bestCost;
    if (isFound)
      solution.proof = isClosed ? SolutionKind::Exact : SolutionKind::Bounded;
    else
      solution.proof =
          isClosed ? SolutionKind::Infeasible : SolutionKind::Unknown;
    return solution;
  }

private:
  using Allowed = std::vector<std::vector<bool>>;

  /// Bytes per row of an assignment.
  std::vector<__int128>
  bytesPerRow(const std::vector<StrategyIndex> &choice) const {
    std::vector<__int128> changes(times.size() + 1, 0);
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      for (size_t p = 0; p < ranges[i].size(); ++p) {
        int64_t bytes = (*problem.nodes[i].memory[p].bytes)[choice[i]];
        changes[ranges[i][p].begin] += bytes;
        changes[ranges[i][p].end] -= bytes;
      }
    }
    __int128 level = 0;
    for (__int128 &change : changes)
      change = level += change;
    changes.pop_back();
    return changes;
  }

  void offer(const std::vector<StrategyIndex> &choice) {
    int64_t cost = problem.cost(choice);
    if (cost >= bestCost || problem.peakBytes(choice) > limit)
      return;
    bestCost = cost;
    best = choice;
    isFound = true;
  }

  /// True if some row exceeds the limit whatever is chosen.
  bool cannotFit(const Allowed &allowed) const {
    std::vector<__int128> changes(times.size() + 1, 0);
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      for (size_t p = 0; p < ranges[i].size(); ++p) {
        const auto &bytes = *problem.nodes[i].memory[p].bytes;
        int64_t smallest = INT64_MAX;
        for (size_t s = 0; s < bytes.size(); ++s)
          if (allowed[i][s])
            smallest = std::min(smallest, bytes[s]);
        changes[ranges[i][p].begin] += smallest;
        changes[ranges[i][p].end] -= smallest;
      }
    }
    __int128 level = 0;
    return std::any_of(changes.begin(), changes.end(), [&](__int128 change) {
      return (level += change) > limit;
    });
  }

  PlanProblem priced(const Allowed &allowed,
                     const std::vector<int64_t> &prices) const {
    std::vector<__int128> sums(prices.size() + 1, 0);
    for (size_t row = 0; row < prices.size(); ++row)
      sums[row + 1] = sums[row] + prices[row];
    PlanProblem result;
    result.edges = problem.edges;
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      PlanNode &node = result.nodes.emplace_back();
      node.costs = problem.nodes[i].costs;
      for (size_t s = 0; s < node.costs.size(); ++s) {
        __int128 extra = 0;
        for (size_t p = 0; p < ranges[i].size(); ++p)
          extra += (sums[ranges[i][p].end] - sums[ranges[i][p].begin]) *
                   (*problem.nodes[i].memory[p].bytes)[s];
        extra >>= priceBits;
        node.costs[s] =
            allowed[i][s]
                ? addCosts(node.costs[s],
                           int64_t(std::min<__int128>(extra, forbiddenCost)))
                : forbiddenCost;
      }
    }
    return result;
  }

  int64_t refund(const std::vector<int64_t> &prices) const {
    __int128 sum = 0;
    for (int64_t price : prices)
      sum += price;
    sum = (sum * limit + ((__int128(1) << priceBits) - 1)) >> priceBits;
    return int64_t(std::min<__int128>(sum, forbiddenCost));
  }

  /// Moves the prices along the subgradient `bytes - limit` (Polyak's step).
  void adjust(std::vector<int64_t> &prices, const std::vector<__int128> &bytes,
              int64_t bound, double scale) const {
    double target = isFound ? double(bestCost)
                            : 1.05 * double(bound) + double(times.size());
    double norm = 0;
    for (size_t row = 0; row < prices.size(); ++row) {
      double excess = double(bytes[row] - limit);
      if (excess > 0 || prices[row] > 0)
        norm += excess * excess;
    }
    if (norm == 0)
      return;
    double step = scale * std::max(target - double(bound), 1.0) / norm;
    for (size_t row = 0; row < prices.size(); ++row) {
      double price = double(prices[row]) +
                     std::ldexp(step * double(bytes[row] - limit), priceBits);
      prices[row] = int64_t(std::clamp(price, 0.0, std::ldexp(1.0, 60)));
    }
  }

  int64_t explore(const Allowed &allowed, std::vector<int64_t> prices,
                  int rounds) {
    if (cannotFit(allowed))
      return forbiddenCost;
    int64_t bound = 0;
    std::vector<StrategyIndex> last;
    std::vector<int64_t> bestPrices = prices;
    double scale = 1.0;
    for (int round = 0; round < rounds; ++round) {
      SolverOptions inner = options;
      inner.incumbent.clear();
      inner.costLimit = forbiddenCost;
      PlanProblem relaxed = priced(allowed, prices);
      PlanSolution solution = searchWithoutMemory(relaxed, inner, budget);
      if (solution.proof == SolutionKind::Infeasible)
        return forbiddenCost;
      if (!solution.hasChoice())
        break;
      int64_t value = solution.lowerBound - refund(prices);
      if (value > bound) {
        bound = value;
        bestPrices = prices;
      } else {
        scale *= 0.8;
      }
      last = std::move(solution.choice);
      offer(last);
      improve(last, allowed);
      if (bound >= bestCost || budget.isSpent())
        return bound;
      adjust(prices, bytesPerRow(last), value, scale);
    }
    if (last.empty() || budget.isSpent())
      return bound;
    return branch(allowed, bestPrices, bound, last);
  }

  /// The change of the total cost if `node` changes to strategy `s`.
  int64_t costChange(const std::vector<StrategyIndex> &choice, size_t node,
                     StrategyIndex s) const {
    const PlanNode &content = problem.nodes[node];
    int64_t before = content.costs[choice[node]], after = content.costs[s];
    for (const PlanEdge *edge : incident[node]) {
      bool isFirst = edge->first == node;
      StrategyIndex other = choice[isFirst ? edge->second : edge->first];
      const CostTable &table = *edge->table;
      before = addCosts(before, isFirst ? table.at(choice[node], other)
                                        : table.at(other, choice[node]));
      after =
          addCosts(after, isFirst ? table.at(s, other) : table.at(other, s));
    }
    return after - before;
  }

  void addBytes(std::vector<__int128> &rows, size_t node, StrategyIndex s,
                int sign) const {
    for (size_t p = 0; p < ranges[node].size(); ++p)
      for (size_t row = ranges[node][p].begin; row < ranges[node][p].end; ++row)
        rows[row] += sign * __int128((*problem.nodes[node].memory[p].bytes)[s]);
  }

  /// Improves an assignment that need not fit by changing one node at a time:
  /// first until it fits, at the least cost per byte saved, then to save cost.
  void improve(std::vector<StrategyIndex> choice, const Allowed &allowed) {
    std::vector<__int128> rows = bytesPerRow(choice);
    if (!repair(choice, rows, allowed))
      return;
    for (bool changed = true; changed && !budget.isSpent();) {
      changed = false;
      for (size_t i = 0; i < choice.size(); ++i) {
        for (StrategyIndex s = 0; s < allowed[i].size(); ++s) {
          StrategyIndex before = choice[i];
          if (!allowed[i][s] || s == before || costChange(choice, i, s) >= 0)
            continue;
          addBytes(rows, i, before, -1);
          addBytes(rows, i, s, 1);
          if (*std::max_element(rows.begin(), rows.end()) <= limit) {
            choice[i] = s;
            changed = true;
            continue;
          }
          addBytes(rows, i, s, -1);
          addBytes(rows, i, before, 1);
        }
      }
    }
    offer(choice);
  }

  bool repair(std::vector<StrategyIndex> &choice, std::vector<__int128> &rows,
              const Allowed &allowed) const {
    // Emptying one row can fill another, for ever; give up in good time.
    for (size_t change = 0; change <= 2 * choice.size(); ++change) {
      size_t row = std::max_element(rows.begin(), rows.end()) - rows.begin();
      if (rows[row] <= limit)
        return true;
      double bestRatio = 0;
      size_t bestNode = choice.size();
      StrategyIndex bestStrategy = 0;
      for (size_t i = 0; i < choice.size(); ++i) {
        int64_t now = bytesAt(i, row, choice[i]);
        if (now == 0)
          continue;
        for (StrategyIndex s = 0; s < allowed[i].size(); ++s) {
          int64_t saved = now - bytesAt(i, row, s);
          if (!allowed[i][s] || saved <= 0)
            continue;
          int64_t change = costChange(choice, i, s);
          if (change >= forbiddenCost / 2)
            continue;
          double ratio =
              double(std::max<int64_t>(change, 0) + 1) / double(saved);
          if (bestNode == choice.size() || ratio < bestRatio) {
            bestRatio = ratio;
            bestNode = i;
            bestStrategy = s;
          }
        }
      }
      if (bestNode == choice.size())
        return false;
      addBytes(rows, bestNode, choice[bestNode], -1);
      choice[bestNode] = bestStrategy;
      addBytes(rows, bestNode, bestStrategy, 1);
    }
    return false;
  }

  int64_t bytesAt(size_t node, size_t row, StrategyIndex s) const {
    int64_t total = 0;
    for (size_t p = 0; p < ranges[node].size(); ++p)
      if (ranges[node][p].begin <= row && row < ranges[node][p].end)
        total = addCosts(total, (*problem.nodes[node].memory[p].bytes)[s]);
    return total;
  }

  /// Branches on the node that could change most of the fullest row; if none
  /// can, on any node that is still free.
  int64_t branch(const Allowed &allowed, const std::vector<int64_t> &prices,
                 int64_t bound, const std::vector<StrategyIndex> &last) {
    std::vector<__int128> bytes = bytesPerRow(last);
    size_t row = std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
    size_t node = problem.nodes.size();
    int64_t widest = -1;
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      if (std::count(allowed[i].begin(), allowed[i].end(), true) < 2)
        continue;
      int64_t least = INT64_MAX, most = 0;
      for (StrategyIndex s = 0; s < allowed[i].size(); ++s) {
        if (!allowed[i][s])
          continue;
        least = std::min(least, bytesAt(i, row, s));
        most = std::max(most, bytesAt(i, row, s));
      }
      if (most - least > widest) {
        widest = most - least;
        node = i;
      }
    }
    // Everything is fixed: the assignment was offered if it fits, and is
    // excluded if it does not.
    if (node == problem.nodes.size())
      return forbiddenCost;
    int64_t result = forbiddenCost;
    for (StrategyIndex s = 0; s < allowed[node].size(); ++s) {
      if (!allowed[node][s])
        continue;
      if (budget.isSpent())
        return bound;
      Allowed child = allowed;
      child[node].assign(child[node].size(), false);
      child[node][s] = true;
      result = std::min(result, explore(child, prices, childRounds));
    }
    return std::max(result, bound);
  }

  const PlanProblem &problem;
  const SolverOptions &options;
  Budget &budget;
  int64_t limit;
  std::vector<int64_t> times;
  std::vector<std::vector<RowRange>> ranges;
  std::vector<std::vector<const PlanEdge *>> incident;
  std::vector<StrategyIndex> best;
  int64_t bestCost;
  bool isFound = false;
};

} // namespace

PlanSolution searchWithMemory(const PlanProblem &problem,
                              const SolverOptions &options, Budget &budget,
                              int64_t lowerBound) {
  return MemorySearch(problem, options, budget).run(lowerBound);
}

} // namespace shardsmith::solver
