// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include <algorithm>
#include <utility>

namespace shardsmith {
namespace {

std::string verifyNode(const PlanNode &node, size_t index) {
  std::string name = "node " + std::to_string(index);
  if (node.costs.empty())
    return name + " has no strategy";
  auto isNegative = [](int64_t value) { return value < 0; };
  if (std::any_of(node.costs.begin(), node.costs.end(), isNegative))
    return name + " has a negative cost";
  for (const MemoryPiece &piece : node.memory) {
    if (!piece.bytes || piece.bytes->size() != node.costs.size())
      return name + " has memory for another number of strategies";
    if (std::any_of(piece.bytes->begin(), piece.bytes->end(), isNegative))
      return name + " uses negative memory";
  }
  return "";
}

std::string verifyEdge(const PlanProblem &problem, const PlanEdge &edge,
                       size_t index) {
  std::string name = "edge " + std::to_string(index);
  if (edge.first >= problem.nodes.size() || edge.second >= problem.nodes.size())
    return name + " names a node that does not exist";
  if (edge.first == edge.second)
    return name + " connects a node with itself";
  const CostTable *table = edge.table.get();
  if (!table || table->rows != problem.nodes[edge.first].costs.size() ||
      table->columns != problem.nodes[edge.second].costs.size() ||
      table->entries.size() != size_t(table->rows) * table->columns)
    return name + " has a table of another size";
  if (std::any_of(table->entries.begin(), table->entries.end(),
                  [](int64_t value) { return value < 0; }))
    return name + " has a negative cost";
  return "";
}

} // namespace

std::string PlanProblem::verify() const {
  for (size_t index = 0; index < nodes.size(); ++index)
    if (std::string error = verifyNode(nodes[index], index); !error.empty())
      return error;
  for (size_t index = 0; index < edges.size(); ++index)
    if (std::string error = verifyEdge(*this, edges[index], index);
        !error.empty())
      return error;
  return "";
}

int64_t PlanProblem::cost(const std::vector<StrategyIndex> &choice) const {
  int64_t total = 0;
  for (size_t index = 0; index < nodes.size(); ++index)
    total = addCosts(total, nodes[index].costs[choice[index]]);
  for (const PlanEdge &edge : edges)
    total = addCosts(total,
                     edge.table->at(choice[edge.first], choice[edge.second]));
  return total;
}

int64_t PlanProblem::peakBytes(const std::vector<StrategyIndex> &choice) const {
  // Sweep over the interval borders. At equal times ends sort before begins,
  // because intervals are half-open.
  std::vector<std::pair<int64_t, __int128>> borders;
  for (size_t index = 0; index < nodes.size(); ++index) {
    for (const MemoryPiece &piece : nodes[index].memory) {
      if (piece.begin >= piece.end)
        continue;
      __int128 bytes = (*piece.bytes)[choice[index]];
      borders.emplace_back(piece.begin, bytes);
      borders.emplace_back(piece.end, -bytes);
    }
  }
  std::sort(borders.begin(), borders.end());
  __int128 level = 0, peak = 0;
  for (auto [time, change] : borders)
    peak = std::max(peak, level += change);
  return int64_t(std::min<__int128>(peak, INT64_MAX));
}

double PlanSolution::gap() const {
  if (proof == SolutionKind::Exact || cost <= lowerBound)
    return 0;
  return double(cost - lowerBound) / double(std::max<int64_t>(lowerBound, 1));
}

} // namespace shardsmith
