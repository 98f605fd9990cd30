// SPDX-License-Identifier: Apache-2.0

#include "DualBound.h"

#include <algorithm>
#include <ranges>

namespace shardsmith::solver {

DualBound::DualBound(const WorkGraph &graph)
    : graph(graph), nodes(graph.aliveNodes()) {
  size_t count = nodes.empty() ? 0 : nodes.back() + 1;
  links.resize(count);
  messages.resize(count);
  moved.resize(count);
  for (NodeIndex node : nodes) {
    moved[node] = graph[node].costs;
    for (const auto &[other, table] : graph[node].edges) {
      const auto &theirs = graph[other].edges;
      size_t back = std::distance(theirs.begin(), theirs.find(node));
      links[node].push_back({other, back, table.data()});
      messages[node].emplace_back(graph[node].size(), 0);
    }
  }
}

void DualBound::rowMinima(NodeIndex node, size_t link,
                          std::vector<int64_t> &minima) const {
  const Link &edge = links[node][link];
  const std::vector<int64_t> &own = messages[node][link];
  const std::vector<int64_t> &theirs = messages[edge.other][edge.back];
  minima.resize(own.size());
  const int64_t *row = edge.table;
  for (size_t s = 0; s < own.size(); ++s, row += theirs.size()) {
    // Each row has an entry that is allowed, because strategies without
    // support have been removed; forbidden ones lose against it.
    int64_t best = INT64_MAX;
    for (size_t t = 0; t < theirs.size(); ++t)
      best = std::min(best, row[t] - theirs[t]);
    minima[s] = best - own[s];
  }
}

void DualBound::collect(NodeIndex node, size_t link) {
  rowMinima(node, link, scratch);
  std::vector<int64_t> &message = messages[node][link];
  for (size_t s = 0; s < scratch.size(); ++s) {
    message[s] += scratch[s];
    moved[node][s] += scratch[s];
  }
}

void DualBound::handOn(NodeIndex node, bool forward, bool keep) {
  int64_t next = 0;
  for (const Link &link : links[node])
    next += isAfter(link.other, node, forward);
  if (next == 0)
    return;
  int64_t parts = next;
  if (keep)
    parts = std::max(parts, int64_t(links[node].size()) - next);
  std::vector<int64_t> &costs = moved[node];
  int64_t least = *std::min_element(costs.begin(), costs.end());
  for (size_t s = 0; s < costs.size(); ++s) {
    int64_t share = (costs[s] - least) / parts;
    costs[s] -= share * next;
    for (size_t link = 0; link < links[node].size(); ++link)
      if (isAfter(links[node][link].other, node, forward))
        messages[node][link][s] -= share;
  }
}

template <typename Order>
void DualBound::pass(const Order &order, bool forward, bool keep) {
  for (NodeIndex node : order) {
    // The pass before, which went the other way, has collected what edges to
    // nodes that come next can give.
    for (size_t link = 0; link < links[node].size(); ++link)
      if (isFirstPass || !isAfter(links[node][link].other, node, forward))
        collect(node, link);
    handOn(node, forward, keep);
  }
  isFirstPass = false;
}

void DualBound::ascend(bool keep) {
  pass(nodes, true, keep);
  pass(std::views::reverse(nodes), false, keep);
}

int64_t DualBound::value() const {
  int64_t total = 0;
  std::vector<int64_t> minima;
  for (NodeIndex node : nodes) {
    total += *std::min_element(moved[node].begin(), moved[node].end());
    for (size_t link = 0; link < links[node].size(); ++link) {
      if (links[node][link].other < node)
        continue;
      rowMinima(node, link, minima);
      total += *std::min_element(minima.begin(), minima.end());
    }
  }
  return total;
}

std::vector<int64_t> DualBound::marginals(NodeIndex node, int64_t total) const {
  std::vector<int64_t> costs = moved[node];
  total -= *std::min_element(costs.begin(), costs.end());
  std::vector<int64_t> minima;
  for (size_t link = 0; link < links[node].size(); ++link) {
    rowMinima(node, link, minima);
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
  std::vector<int64_t> minima;
  for (NodeIndex node : nodes) {
    std::vector<int64_t> costs = moved[node];
    for (size_t link = 0; link < links[node].size(); ++link) {
      NodeIndex other = links[node][link].other;
      size_t columns = graph[other].size();
      bool isSettled = other < node;
      if (!isSettled)
        rowMinima(node, link, minima);
      for (size_t s = 0; s < costs.size(); ++s) {
        if (!isSettled) {
          costs[s] = addCosts(costs[s], minima[s]);
          continue;
        }
        int64_t entry = links[node][link].table[s * columns + positions[other]];
        costs[s] = entry >= forbiddenCost
                       ? forbiddenCost
                       : addCosts(costs[s], entry - messages[node][link][s]);
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
