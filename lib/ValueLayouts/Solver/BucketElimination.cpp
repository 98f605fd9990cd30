// SPDX-License-Identifier: Apache-2.0

#include "BucketElimination.h"

#include <algorithm>

namespace shardsmith::solver {
namespace {

enum class Criterion { NewEdges, TableSize };

/// The nodes that are left, numbered from zero in the order of `aliveNodes`,
/// with what each has edges to, in any order.
class Neighbours {
public:
  explicit Neighbours(const WorkGraph &graph)
      : nodes(graph.aliveNodes()), lists(nodes.size()), marks(nodes.size(), 0) {
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const auto &[other, table] : graph[nodes[i]].edges)
        lists[i].push_back(std::ranges::lower_bound(nodes, other) -
                           nodes.begin());
  }

  size_t count() const { return nodes.size(); }
  NodeIndex node(size_t number) const { return nodes[number]; }
  const std::vector<size_t> &of(size_t number) const { return lists[number]; }

  /// Pairs of neighbours that have no edge.
  size_t missingAround(size_t number) {
    const std::vector<size_t> &around = lists[number];
    unmarkAll();
    for (size_t other : around)
      mark(other);
    size_t edgeEnds = 0;
    for (size_t other : around)
      for (size_t next : lists[other])
        edgeEnds += isMarked(next) ? 1 : 0;
    return (around.size() * (around.size() - 1) - edgeEnds) / 2;
  }

  /// Takes a node away and connects its neighbours. Returns these, and
  /// theirs.
  std::vector<size_t> eliminate(size_t number) {
    std::vector<size_t> around = std::move(lists[number]);
    lists[number].clear();
    for (size_t other : around) {
      std::vector<size_t> &theirs = lists[other];
      std::erase(theirs, number);
      unmarkAll();
      mark(other);
      for (size_t next : theirs)
        mark(next);
      for (size_t next : around)
        if (!isMarked(next))
          theirs.push_back(next);
    }
    unmarkAll();
    std::vector<size_t> changed;
    auto add = [&](size_t other) {
      if (!isMarked(other))
        changed.push_back(other);
      mark(other);
    };
    for (size_t other : around) {
      add(other);
      std::ranges::for_each(lists[other], add);
    }
    return changed;
  }

private:
  void unmarkAll() { ++current; }
  void mark(size_t number) { marks[number] = current; }
  bool isMarked(size_t number) const { return marks[number] == current; }

  std::vector<NodeIndex> nodes;
  std::vector<std::vector<size_t>> lists;
  /// Those that are `current` are set.
  std::vector<size_t> marks;
  size_t current = 0;
};

EliminationOrder greedyOrder(const WorkGraph &graph, Criterion criterion,
                             double mostWork) {
  Neighbours neighbours(graph);
  auto tableSize = [&](size_t number) {
    double product = graph[neighbours.node(number)].size();
    for (size_t other : neighbours.of(number))
      product *= graph[neighbours.node(other)].size();
    return product;
  };
  auto score = [&](size_t number) {
    std::pair both(double(neighbours.missingAround(number)), tableSize(number));
    if (criterion == Criterion::TableSize)
      std::swap(both.first, both.second);
    return both;
  };
  // Scores change only near the node that was eliminated.
  using Score = std::pair<double, double>;
  std::vector<Score> scores(neighbours.count());
  std::set<std::pair<Score, size_t>> queue;
  for (size_t number = 0; number < scores.size(); ++number) {
    scores[number] = score(number);
    queue.emplace(scores[number], number);
  }

  EliminationOrder order;
  while (!queue.empty()) {
    size_t number = queue.begin()->second;
    queue.erase(queue.begin());
    double size = tableSize(number);
    order.nodes.push_back(neighbours.node(number));
    order.largest = std::max(order.largest, size);
    order.total += size;
    if (order.total > mostWork) {
      order.nodes.clear();
      return order;
    }
    for (size_t other : neighbours.eliminate(number)) {
      Score now = score(other);
      if (now == scores[other])
        continue;
      queue.erase({scores[other], other});
      queue.emplace(now, other);
      scores[other] = now;
    }
  }
  return order;
}

/// A table over several nodes; the last one varies fastest.
struct Factor {
  std::vector<NodeIndex> nodes;
  std::vector<int64_t> entries;
};

/// All factors that mention one node, with that node made the last of each,
/// so that a row over its strategies is contiguous:
///
///   for every assignment of the neighbours:      (nested, depth first)
///     row[s] = cost[s] + sum of the factors' rows
///     result = min over s of row[s]
///
/// The rows of factors whose neighbours are all assigned at some depth are
/// added there once, not again for every assignment below it.
class Bucket {
public:
  Bucket(const WorkGraph &graph, NodeIndex node, std::vector<Factor> factors)
      : graph(graph), node(node), width(graph[node].size()) {
    for (const Factor &factor : factors)
      for (NodeIndex other : factor.nodes)
        if (other != node)
          scope.push_back(other);
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    for (Factor &factor : factors)
      place(std::move(factor));
  }

  Factor minimise() {
    Factor result;
    result.nodes = scope;
    size_t size = 1;
    for (NodeIndex other : scope)
      size *= graph[other].size();
    result.entries.reserve(size);
    assigned.assign(scope.size(), 0);
    rows.assign(scope.size() + 1, graph[node].costs);
    addRows(0, rows[0]);
    descend(0, result.entries);
    return result;
  }

  /// The best strategy (as a position) given those of the scope.
  size_t bestFor(const std::vector<size_t> &positions) {
    std::vector<int64_t> row = graph[node].costs;
    for (size_t depth = 0; depth < scope.size(); ++depth)
      assigned[depth] = positions[scope[depth]];
    for (size_t depth = 0; depth <= scope.size(); ++depth)
      addRows(depth, row);
    return std::min_element(row.begin(), row.end()) - row.begin();
  }

  NodeIndex getNode() const { return node; }

private:
  struct Placed {
    std::vector<size_t> depths;  // of its nodes, in storage order
    std::vector<size_t> strides; // in entries
    std::vector<int64_t> entries;
  };

  void place(Factor factor) {
    Placed placed;
    size_t count = factor.nodes.size();
    size_t own = std::find(factor.nodes.begin(), factor.nodes.end(), node) -
                 factor.nodes.begin();
    std::vector<size_t> oldStrides(count);
    size_t stride = 1;
    for (size_t i = count; i-- > 0; stride *= graph[factor.nodes[i]].size())
      oldStrides[i] = stride;

    size_t lastDepth = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i == own)
        continue;
      size_t depth =
          std::lower_bound(scope.begin(), scope.end(), factor.nodes[i]) -
          scope.begin();
      placed.depths.push_back(depth);
      lastDepth = std::max(lastDepth, depth + 1);
    }
    if (own + 1 == count) {
      placed.entries = std::move(factor.entries);
      for (size_t i = 0; i + 1 < count; ++i)
        placed.strides.push_back(oldStrides[i]);
    } else {
      // Move the node's own stride to the end.
      std::vector<size_t> sizes, from;
      for (size_t i = 0; i < count; ++i) {
        if (i == own)
          continue;
        sizes.push_back(graph[factor.nodes[i]].size());
        from.push_back(oldStrides[i]);
      }
      sizes.push_back(width);
      from.push_back(oldStrides[own]);
      placed.strides.resize(sizes.size());
      stride = 1;
      for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
        placed.strides[i] = stride;
      placed.entries.resize(factor.entries.size());
      std::vector<size_t> at(sizes.size(), 0);
      size_t source = 0;
      for (int64_t &entry : placed.entries) {
        entry = factor.entries[source];
        for (size_t i = sizes.size(); i-- > 0;) {
          source += from[i];
          if (++at[i] < sizes[i])
            break;
          source -= from[i] * sizes[i];
          at[i] = 0;
        }
      }
      placed.strides.pop_back();
    }
    if (byDepth.size() < scope.size() + 1)
      byDepth.resize(scope.size() + 1);
    byDepth[lastDepth].push_back(std::move(placed));
  }

  void addRows(size_t depth, std::vector<int64_t> &row) const {
    if (depth >= byDepth.size())
      return;
    for (const Placed &factor : byDepth[depth]) {
      size_t offset = 0;
      for (size_t i = 0; i < factor.depths.size(); ++i)
        offset += assigned[factor.depths[i]] * factor.strides[i];
      const int64_t *source = &factor.entries[offset];
      for (size_t s = 0; s < width; ++s)
        row[s] = std::min(row[s] + source[s], forbiddenCost);
    }
  }

  void descend(size_t depth, std::vector<int64_t> &output) {
    if (depth == scope.size()) {
      const auto &row = rows[depth];
      output.push_back(*std::min_element(row.begin(), row.end()));
      return;
    }
    size_t count = graph[scope[depth]].size();
    for (size_t t = 0; t < count; ++t) {
      assigned[depth] = t;
      rows[depth + 1] = rows[depth];
      addRows(depth + 1, rows[depth + 1]);
      descend(depth + 1, output);
    }
  }

  const WorkGraph &graph;
  NodeIndex node;
  size_t width;
  std::vector<NodeIndex> scope;
  /// The factors by the number of nodes of the scope that must be assigned
  /// before their rows are known.
  std::vector<std::vector<Placed>> byDepth;
  std::vector<size_t> assigned;
  std::vector<std::vector<int64_t>> rows;
};

} // namespace

EliminationOrder findEliminationOrder(const WorkGraph &graph, double mostWork) {
  EliminationOrder order = greedyOrder(graph, Criterion::TableSize, mostWork);
  // Small tables are built in less time than the second order is found.
  constexpr double littleWork = 1 << 16;
  if (order.total <= littleWork)
    return order;
  EliminationOrder other = greedyOrder(graph, Criterion::NewEdges, mostWork);
  return other.total < order.total ? other : order;
}

int64_t eliminateBuckets(const WorkGraph &graph, const EliminationOrder &order,
                         std::vector<StrategyIndex> &choice) {
  std::map<NodeIndex, size_t> rank;
  for (size_t position = 0; position < order.nodes.size(); ++position)
    rank[order.nodes[position]] = position;

  // Every factor waits at the node of its scope that is eliminated first.
  std::vector<std::vector<Factor>> waiting(order.nodes.size());
  auto enqueue = [&](Factor factor) {
    size_t first = order.nodes.size();
    for (NodeIndex node : factor.nodes)
      first = std::min(first, rank[node]);
    waiting[first].push_back(std::move(factor));
  };
  for (NodeIndex node : order.nodes)
    for (const auto &[other, table] : graph[node].edges)
      if (node < other)
        enqueue({{node, other}, table});

  int64_t total = 0;
  std::vector<Bucket> buckets;
  buckets.reserve(order.nodes.size());
  for (size_t position = 0; position < order.nodes.size(); ++position) {
    buckets.emplace_back(graph, order.nodes[position],
                         std::move(waiting[position]));
    Factor message = buckets.back().minimise();
    if (message.nodes.empty())
      total = addCosts(total, message.entries.front());
    else
      enqueue(std::move(message));
  }
  if (total >= forbiddenCost)
    return forbiddenCost;

  std::vector<size_t> positions(choice.size(), 0);
  for (size_t index = buckets.size(); index-- > 0;) {
    NodeIndex node = buckets[index].getNode();
    positions[node] = buckets[index].bestFor(positions);
    choice[node] = graph[node].strategies[positions[node]];
  }
  return total;
}

} // namespace shardsmith::solver
