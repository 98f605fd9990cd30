// SPDX-License-Identifier: Apache-2.0
//
// A lower bound by moving costs between nodes and edges.
//
// For any integers m (one per edge, end and strategy) the costs
//
//   node' i(s)    = node i(s) + sum over edges of m_ij(s)
//   edge' ij(s,t) = edge ij(s,t) - m_ij(s) - m_ji(t)
//
// price every assignment as before, so the sum of all minima of node' and
// edge' is a lower bound. It is computed in integers: however `m` was found,
// the bound is true. `ascend` raises it by sequential tree-reweighted message
// passing (Kolmogorov, 2006).

#ifndef SHARDSMITH_LIB_PLAN_SOLVER_DUALBOUND_H
#define SHARDSMITH_LIB_PLAN_SOLVER_DUALBOUND_H

#include "WorkGraph.h"

namespace shardsmith::solver {

class DualBound {
public:
  explicit DualBound(const WorkGraph &graph);

  /// One pass forward and one back over all nodes.
  void ascend();

  /// The bound on the nodes that are alive, without the graph's constant.
  int64_t value() const;

  /// For each strategy of `node` a lower bound of all assignments with it.
  /// `total` is `value()`.
  std::vector<int64_t> marginals(NodeIndex node, int64_t total) const;

  /// An assignment (positions in the nodes' strategy lists) that follows the
  /// moved costs, improved one node at a time.
  std::vector<size_t> round() const;

  const std::vector<std::map<NodeIndex, std::vector<int64_t>>> &
  getMessages() const {
    return messages;
  }

private:
  std::vector<int64_t> movedCosts(NodeIndex node) const;
  /// Per strategy of `node` the smallest moved cost of its edge to `other`.
  std::vector<int64_t> rowMinima(NodeIndex node, NodeIndex other) const;
  void collect(NodeIndex node, NodeIndex other);
  void pass(const std::vector<NodeIndex> &order);
  void improve(std::vector<size_t> &positions) const;

  const WorkGraph &graph;
  std::vector<NodeIndex> nodes;
  std::vector<size_t> rank;
  /// messages[i][j] has one entry per strategy of i.
  std::vector<std::map<NodeIndex, std::vector<int64_t>>> messages;
};

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_PLAN_SOLVER_DUALBOUND_H
