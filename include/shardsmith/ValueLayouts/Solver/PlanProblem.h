// SPDX-License-Identifier: Apache-2.0
//
// The planning problem without any of the IR it came from: choose one
// strategy per node so that the sum of node and edge costs is smallest and
// memory stays within one limit at every moment.
//
//   cost(x) = sum_i nodes[i].costs[x_i] + sum_(i,j) table_ij[x_i][x_j]
//   for every time t: sum of usage_i[x_i] over the pieces with
//                     begin <= t < end              <= memoryLimit

#ifndef SHARDSMITH_VALUELAYOUTS_SOLVER_PLANPROBLEM_H
#define SHARDSMITH_VALUELAYOUTS_SOLVER_PLANPROBLEM_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

using NodeIndex = unsigned;
using StrategyIndex = unsigned;

/// A choice with this cost or more must not be made. Real costs stay far
/// below: 10^18 ns are 31 years.
inline constexpr int64_t forbiddenCost = 1'000'000'000'000'000'000;

/// Sum of two costs that stays forbidden once it is.
constexpr int64_t addCosts(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum) || sum >= forbiddenCost)
    return forbiddenCost;
  return sum;
}

/// Row-major: the entry for strategies (s, t) is `entries[s * columns + t]`.
struct CostTable {
  StrategyIndex rows = 0;
  StrategyIndex columns = 0;
  std::vector<int64_t> entries;

  int64_t at(StrategyIndex row, StrategyIndex column) const {
    return entries[size_t(row) * columns + column];
  }
};

/// Bytes that a node holds during the half-open interval [begin, end), by
/// strategy. Many pieces share one list.
struct MemoryPiece {
  int64_t begin = 0;
  int64_t end = 0;
  std::shared_ptr<const std::vector<int64_t>> bytes;
};

struct PlanNode {
  std::vector<int64_t> costs;
  std::vector<MemoryPiece> memory;
};

/// Edges between the same two nodes add up; an edge from a node to itself is
/// not allowed (it is a node cost).
struct PlanEdge {
  NodeIndex first = 0;
  NodeIndex second = 0;
  std::shared_ptr<const CostTable> table;
};

struct PlanProblem {
  std::vector<PlanNode> nodes;
  std::vector<PlanEdge> edges;
  std::optional<int64_t> memoryLimit;

  /// Empty if sizes agree and all numbers are non-negative, else a sentence
  /// that names the first thing that is wrong.
  std::string verify() const;

  int64_t cost(const std::vector<StrategyIndex> &choice) const;
  /// The largest sum of bytes over all times.
  int64_t peakBytes(const std::vector<StrategyIndex> &choice) const;
};

/// How sure a solution is.
enum class SolutionKind {
  /// Nothing cheaper exists: cost and lower bound agree.
  Exact,
  /// The lower bound is below the cost; the gap says by how much.
  Bounded,
  /// No assignment satisfies the constraints.
  Infeasible,
  /// None was found within the time limit, and none was excluded.
  Unknown,
};

struct PlanSolution {
  SolutionKind proof = SolutionKind::Unknown;
  /// Empty unless the proof is Exact or Bounded.
  std::vector<StrategyIndex> choice;
  int64_t cost = forbiddenCost;
  int64_t lowerBound = 0;
  /// Combinations that were looked at, see `SolverOptions::effort`.
  int64_t effort = 0;

  bool hasChoice() const {
    return proof == SolutionKind::Exact || proof == SolutionKind::Bounded;
  }
  /// (cost - bound) / bound, zero if the solution is exact.
  double gap() const;
};

struct SolverOptions {
  /// Wall-clock limit. The answer is the same with every limit that is not
  /// reached.
  double timeLimitSeconds = 60;
  /// The same from outside, as by a signal.
  std::function<bool()> mustStop;
  /// Combinations of strategies that the search may look at in total. The
  /// answer depends on this number alone, not on the machine.
  int64_t effort = INT64_MAX;
  /// Combinations of strategies that one bucket elimination may look at.
  int64_t maximalWork = int64_t(1) << 24;
  /// An assignment to start from, if one is known.
  std::vector<StrategyIndex> incumbent;
  /// A solution that is not cheaper than this is of no interest; the answer
  /// is then Infeasible with this lower bound.
  int64_t costLimit = forbiddenCost;
};

PlanSolution solve(const PlanProblem &problem,
                   const SolverOptions &options = {});

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_SOLVER_PLANPROBLEM_H
