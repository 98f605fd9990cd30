// SPDX-License-Identifier: Apache-2.0

#include "DualBound.h"

#include <algorithm>

namespace shardsmith::solver {

DualBound::DualBound(const WorkGraph &graph)
    : graph(graph), nodes(graph.aliveNodes()) {
  size_t count = nodes.empty() ? 0 : nodes.back() + 1;
  messages.resize(count);
  rank.resize(count);
  for (size_t position = 0; position < nodes.size(); ++position) {
    NodeIndex node = nodes[position];
    rank[node] = position;
    for (const auto &[other, table] : graph[node].edges)
      messages[node][other].assign(graph[node].size(), 0);
  }
}

std::vector<int64_t> DualBound::movedCosts(NodeIndex node) const {
  std::vector<int64_t> costs = graph[node].costs;
  for (const auto &[other, message] : messages[node])
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += message[s];
  return costs;
}

std::vector<int64_t> DualBound::rowMinima(NodeIndex node,
                                          NodeIndex other) const {
  const EdgeTable &table = graph[node].edges.at(other);
  const auto &own = messages[node].at(other);
  const auto &theirs = messages[other].at(node);
  size_t columns = theirs.size();
  std::vector<int64_t> minima(own.size());
  for (size_t s = 0; s < own.size(); ++s) {
    const int64_t *row = &table[s * columns];
    // Forbidden entries lose against any other one; each row has one, because
    // strategies without support have been removed.
    int64_t best = INT64_MAX;
    for (size_t t = 0; t < columns; ++t) {
      int64_t entry = row[t] - theirs[t];
      best = row[t] < forbiddenCost && entry < best ? entry : best;
    }
    minima[s] = best - own[s];
  }
  return minima;
}

void DualBound::collect(NodeIndex node, NodeIndex other) {
  std::vector<int64_t> minima = rowMinima(node, other);
  auto &message = messages[node].at(other);
  for (size_t s = 0; s < minima.size(); ++s)
    message[s] += minima[s];
}

void DualBound::pass(const std::vector<NodeIndex> &order) {
  bool forward = order.front() == nodes.front();
  for (NodeIndex node : order) {
    int64_t later = 0, earlier = 0;
    auto isLater = [&](NodeIndex other) {
      return forward == (rank[other] > rank[node]);
    };
    for (const auto &[other, table] : graph[node].edges) {
      collect(node, other);
      (isLater(other) ? later : earlier)++;
    }
    if (later == 0)
      continue;
    // Hand equal shares to the edges that come next and keep the rest for
    // the way back.
    std::vector<int64_t> share = movedCosts(node);
    int64_t least = *std::min_element(share.begin(), share.end());
    int64_t parts = std::max(later, earlier);
    for (int64_t &cost : share)
      cost = (cost - least) / parts;
    for (auto &[other, message] : messages[node]) {
      if (!isLater(other))
        continue;
      for (size_t s = 0; s < share.size(); ++s)
        message[s] -= share[s];
    }
  }
}

void DualBound::ascend() {
  if (nodes.empty())
    return;
  pass(nodes);
  pass(std::vector<NodeIndex>(nodes.rbegin(), nodes.rend()));
}

int64_t DualBound::value() const {
  int64_t total = 0;
  for (NodeIndex node : nodes) {
    std::vector<int64_t> costs = movedCosts(node);
    total += *std::min_element(costs.begin(), costs.end());
    for (const auto &[other, table] : graph[node].edges) {
      if (other < node)
        continue;
      std::vector<int64_t> minima = rowMinima(node, other);
      total += *std::min_element(minima.begin(), minima.end());
    }
  }
  return total;
}

std::vector<int64_t> DualBound::marginals(NodeIndex node, int64_t total) const {
  std::vector<int64_t> costs = movedCosts(node);
  total -= *std::min_element(costs.begin(), costs.end());
  for (const auto &[other, table] : graph[node].edges) {
    std::vector<int64_t> minima = rowMinima(node, other);
    total -= *std::min_element(minima.begin(), minima.end());
    for (size_t s = 0; s < costs.size(); ++s)
      costs[s] += minima[s];
  }
  for (int64_t &cost : costs)
    cost += total;
  return costs;
}

std::vector<size_t> DualBound::round() const {
  std::vector<size_t> positions(messages.size(), 0);
  for (NodeIndex node : nodes) {
    std::vector<int64_t> costs = movedCosts(node);
    for (const auto &[other, table] : graph[node].edges) {
      size_t columns = graph[other].size();
      bool isSettled = rank[other] < rank[node];
      std::vector<int64_t> minima;
      if (!isSettled)
        minima = rowMinima(node, other);
      for (size_t s = 0; s < costs.size(); ++s) {
        if (!isSettled) {
          costs[s] = addCosts(costs[s], minima[s]);
          continue;
        }
        int64_t entry = table[s * columns + positions[other]];
        costs[s] =
            entry >= forbiddenCost
                ? forbiddenCost
                : addCosts(costs[s], entry - messages[node].at(other)[s]);
      }
    }
    positions[node] =
        std::min_element(costs.begin(), costs.end()) - costs.begin();
  }
  improve(positions);
  return positions;
}

void DualBound::improve(std::vector<size_t> &positions) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeIndex node : nodes) {
      std::vector<int64_t> costs = graph[node].costs;
      for (const auto &[other, table] : graph[node].edges)
        for (size_t s = 0; s < costs.size(); ++s)
          costs[s] = addCosts(
              costs[s], table[s * graph[other].size() + positions[other]]);
      size_t best =
          std::min_element(costs.begin(), costs.end()) - costs.begin();
      if (costs[best] < costs[positions[node]]) {
        positions[node] = best;
        changed = true;
      }
    }
  }
}

} // namespace shardsmith::solver
