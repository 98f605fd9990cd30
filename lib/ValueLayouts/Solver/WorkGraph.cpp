// SPDX-License-Identifier: Apache-2.0

#include "WorkGraph.h"

#include <algorithm>
#include <limits>

namespace shardsmith::solver {
namespace {

/// Keeps the rows (and, for a table stored at the other end, the columns)
/// that `keep` names.
EdgeTable keepRows(const EdgeTable &table, size_t columns,
                   const std::vector<bool> &keep) {
  EdgeTable result;
  for (size_t row = 0; row < keep.size(); ++row)
    if (keep[row])
      result.insert(result.end(), table.begin() + row * columns,
                    table.begin() + (row + 1) * columns);
  return result;
}

EdgeTable keepColumns(const EdgeTable &table, const std::vector<bool> &keep) {
  EdgeTable result;
  for (size_t index = 0; index < table.size(); ++index)
    if (keep[index % keep.size()])
      result.push_back(table[index]);
  return result;
}

EdgeTable transpose(const EdgeTable &table, size_t rows) {
  EdgeTable result(table.size());
  size_t columns = table.size() / rows;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      result[column * rows + row] = table[row * columns + column];
  return result;
}

void addInto(EdgeTable &target, const EdgeTable &source) {
  for (size_t index = 0; index < target.size(); ++index)
    target[index] = addCosts(target[index], source[index]);
}

size_t positionOf(const std::vector<StrategyIndex> &list, StrategyIndex value) {
  return std::find(list.begin(), list.end(), value) - list.begin();
}

} // namespace

WorkGraph::WorkGraph(const PlanProblem &problem) {
  nodes.resize(problem.nodes.size());
  for (NodeIndex index = 0; index < nodes.size(); ++index) {
    WorkNode &node = nodes[index];
    node.costs = problem.nodes[index].costs;
    for (int64_t &cost : node.costs)
      cost = std::min(cost, forbiddenCost);
    node.strategies.resize(node.costs.size());
    for (StrategyIndex s = 0; s < node.strategies.size(); ++s)
      node.strategies[s] = s;
    touch(index);
  }
  for (const PlanEdge &edge : problem.edges)
    addTable(edge.first, edge.second, edge.table->entries);
}

std::vector<NodeIndex> WorkGraph::aliveNodes() const {
  std::vector<NodeIndex> result;
  for (NodeIndex index = 0; index < nodes.size(); ++index)
    if (nodes[index].alive)
      result.push_back(index);
  return result;
}

int64_t WorkGraph::countEntries() const {
  int64_t count = 0;
  for (const WorkNode &node : nodes)
    for (const auto &[other, table] : node.edges)
      count += int64_t(table.size());
  return count;
}

void WorkGraph::addTable(NodeIndex first, NodeIndex second,
                         const EdgeTable &table) {
  EdgeTable mirrored = transpose(table, nodes[first].size());
  auto [forward, isNew] = nodes[first].edges.try_emplace(second, table);
  if (isNew) {
    for (int64_t &cost : forward->second)
      cost = std::min(cost, forbiddenCost);
    for (int64_t &cost : mirrored)
      cost = std::min(cost, forbiddenCost);
    nodes[second].edges.emplace(first, std::move(mirrored));
    return;
  }
  addInto(forward->second, table);
  addInto(nodes[second].edges[first], mirrored);
}

void WorkGraph::keepOnly(NodeIndex index, const std::vector<bool> &keep) {
  WorkNode &node = nodes[index];
  size_t left = std::count(keep.begin(), keep.end(), true);
  if (left == node.size())
    return;
  if (left == 0) {
    infeasible = true;
    return;
  }
  for (auto &[other, table] : node.edges) {
    table = keepRows(table, nodes[other].size(), keep);
    EdgeTable &mirrored = nodes[other].edges[index];
    mirrored = keepColumns(mirrored, keep);
    touch(other);
  }
  size_t to = 0;
  for (size_t from = 0; from < keep.size(); ++from) {
    if (!keep[from])
      continue;
    node.costs[to] = node.costs[from];
    node.strategies[to++] = node.strategies[from];
  }
  node.costs.resize(to);
  node.strategies.resize(to);
  touch(index);
}

/// A strategy is supported if it is allowed and every neighbour has at least
/// one strategy that is allowed together with it.
bool WorkGraph::removeUnsupported(NodeIndex index) {
  const WorkNode &node = nodes[index];
  std::vector<bool> keep(node.size());
  for (size_t s = 0; s < node.size(); ++s) {
    keep[s] = node.costs[s] < forbiddenCost;
    for (const auto &[other, table] : node.edges) {
      size_t columns = nodes[other].size();
      auto row = table.begin() + s * columns;
      keep[s] = keep[s] && std::any_of(row, row + columns, [](int64_t cost) {
                  return cost < forbiddenCost;
                });
    }
  }
  size_t before = node.size();
  keepOnly(index, keep);
  return infeasible || nodes[index].size() != before;
}

/// True if replacing `worse` by `better` costs no more whatever the
/// neighbours choose.
bool WorkGraph::dominates(const WorkNode &node, size_t better,
                          size_t worse) const {
  int64_t slack = node.costs[worse] - node.costs[better];
  for (const auto &[other, table] : node.edges) {
    size_t columns = nodes[other].size();
    const int64_t *betterRow = &table[better * columns];
    const int64_t *worseRow = &table[worse * columns];
    int64_t largest = std::numeric_limits<int64_t>::min();
    for (size_t column = 0; column < columns; ++column) {
      if (worseRow[column] >= forbiddenCost)
        continue;
      if (betterRow[column] >= forbiddenCost)
        return false;
      largest = std::max(largest, betterRow[column] - worseRow[column]);
    }
    // Every column forbids `worse`, so it is dominated.
    if (largest == std::numeric_limits<int64_t>::min())
      return true;
    slack -= largest;
    // Later edges can still add slack, so there is no early exit here.
  }
  return slack >= 0;
}

bool WorkGraph::removeDominated(NodeIndex index) {
  const WorkNode &node = nodes[index];
  // For most pairs the choices of neighbours that suit `worse` best show that
  // it is not dominated, so all others need no look.
  std::vector<std::pair<const EdgeTable *, std::vector<size_t>>> cheapest;
  for (const auto &[other, table] : node.edges) {
    auto &columns = cheapest.emplace_back(&table, 0).second;
    auto width = static_cast<ptrdiff_t>(nodes[other].size());
    for (auto row = table.begin(); row != table.end(); row += width)
      columns.push_back(std::min_element(row, row + width) - table.begin());
  }
  auto isCheaperOnce = [&](size_t worse, size_t better) {
    int64_t with = node.costs[better], without = node.costs[worse];
    for (const auto &[table, columns] : cheapest) {
      size_t width = table->size() / node.size(), at = columns[worse];
      with = addCosts(with, (*table)[better * width + at % width]);
      without = addCosts(without, (*table)[at]);
    }
    return with > without;
  };
  std::vector<bool> keep(node.size(), true);
  for (size_t worse = 0; worse < node.size(); ++worse)
    for (size_t better = 0; better < node.size() && keep[worse]; ++better)
      if (better != worse && keep[better] && !isCheaperOnce(worse, better) &&
          dominates(node, better, worse))
        keep[worse] = false;
  size_t before = node.size();
  keepOnly(index, keep);
  return nodes[index].size() != before;
}

/// Removes a node with at most two neighbours, or with one strategy, and
/// passes what it costs to the neighbours:
///
///     j --- i --- k     becomes     j ---------- k
///                                   min over i's strategies
void WorkGraph::eliminate(NodeIndex index) {
  auto record = std::make_shared<Eliminated>();
  record->node = index;
  record->content = std::move(nodes[index]);
  nodes[index] = WorkNode();
  nodes[index].alive = false;
  const WorkNode &node = record->content;

  std::vector<NodeIndex> neighbours;
  for (const auto &[other, table] : node.edges) {
    nodes[other].edges.erase(index);
    neighbours.push_back(other);
    record->neighbourStrategies.push_back(nodes[other].strategies);
    touch(other);
  }
  eliminated.push_back(record);

  if (node.size() == 1) {
    constant = addCosts(constant, node.costs.front());
    for (const auto &[other, table] : node.edges)
      for (size_t t = 0; t < nodes[other].size(); ++t)
        nodes[other].costs[t] = addCosts(nodes[other].costs[t], table[t]);
    return;
  }
  if (neighbours.empty()) {
    int64_t best = *std::min_element(node.costs.begin(), node.costs.end());
    constant = addCosts(constant, best);
    return;
  }

  NodeIndex first = neighbours.front();
  const EdgeTable &firstTable = node.edges.at(first);
  size_t rows = nodes[first].size();
  if (neighbours.size() == 1) {
    for (size_t r = 0; r < rows; ++r) {
      int64_t best = forbiddenCost;
      for (size_t s = 0; s < node.size(); ++s)
        best =
            std::min(best, addCosts(node.costs[s], firstTable[s * rows + r]));
      nodes[first].costs[r] = addCosts(nodes[first].costs[r], best);
    }
    return;
  }

  NodeIndex second = neighbours.back();
  const EdgeTable &secondTable = node.edges.at(second);
  size_t columns = nodes[second].size();
  EdgeTable joined(rows * columns, forbiddenCost);
  for (size_t s = 0; s < node.size(); ++s) {
    for (size_t r = 0; r < rows; ++r) {
      int64_t head = addCosts(node.costs[s], firstTable[s * rows + r]);
      int64_t *target = &joined[r * columns];
      const int64_t *tail = &secondTable[s * columns];
      // Both are at most 10^18, so the sum cannot overflow.
      for (size_t c = 0; c < columns; ++c)
        target[c] = std::min(target[c], head + tail[c]);
    }
  }
  addTable(first, second, joined);
}

void WorkGraph::reduce() {
  while (!pending.empty() && !infeasible) {
    NodeIndex index = *pending.begin();
    pending.erase(pending.begin());
    if (!nodes[index].alive)
      continue;
    if (removeUnsupported(index) || removeDominated(index))
      continue; // The node is pending again, as its strategies changed.
    if (nodes[index].size() == 1 || nodes[index].edges.size() <= 2)
      eliminate(index);
  }
  if (constant >= forbiddenCost)
    infeasible = true;
}

void WorkGraph::move(const Messages &messages) {
  auto takeMinimum = [&](std::vector<int64_t> &costs) {
    int64_t least = *std::min_element(costs.begin(), costs.end());
    if (least >= forbiddenCost)
      return int64_t(0);
    for (int64_t &cost : costs)
      if (cost < forbiddenCost)
        cost -= least;
    return least;
  };
  for (NodeIndex index : aliveNodes()) {
    WorkNode &node = nodes[index];
    size_t position = 0;
    for (auto &[other, table] : node.edges) {
      const auto &back = nodes[other].edges;
      const auto &own = messages[index][position++];
      const auto &theirs =
          messages[other][std::distance(back.begin(), back.find(index))];
      for (size_t s = 0; s < own.size(); ++s) {
        if (node.costs[s] < forbiddenCost)
          node.costs[s] += own[s];
        int64_t *row = &table[s * theirs.size()];
        for (size_t t = 0; t < theirs.size(); ++t)
          if (row[t] < forbiddenCost)
            row[t] -= own[s] + theirs[t];
      }
      // Both ends store the edge; its minimum counts once.
      int64_t least = takeMinimum(table);
      if (index < other)
        constant += least;
    }
    constant += takeMinimum(node.costs);
    touch(index);
  }
}

void WorkGraph::complete(std::vector<StrategyIndex> &choice) const {
  for (size_t step = eliminated.size(); step-- > 0;) {
    const Eliminated &record = *eliminated[step];
    const WorkNode &node = record.content;
    std::vector<int64_t> costs = node.costs;
    size_t neighbour = 0;
    for (const auto &[other, table] : node.edges) {
      const auto &strategies = record.neighbourStrategies[neighbour++];
      size_t column = positionOf(strategies, choice[other]);
      for (size_t s = 0; s < costs.size(); ++s)
        costs[s] = addCosts(costs[s], table[s * strategies.size() + column]);
    }
    size_t best = std::min_element(costs.begin(), costs.end()) - costs.begin();
    choice[record.node] = node.strategies[best];
  }
}

} // namespace shardsmith::solver
