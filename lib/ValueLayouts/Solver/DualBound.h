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
// the bound is true. `ascend` raises it one node at a time, in program order
// and back: a node takes what its edges can give and hands it on, in parts, to
// the edges whose other end comes next.
//
// Sequential message passing (Kolmogorov, 2006) makes as many parts as the
// node has edges on its busier side and keeps the rest for the way back. On a
// long program with values that many ops read, little arrives at the far end.
// Handing on everything carries further but ends at a lower bound. Taking
// turns converges fastest: on GPT-2, in a third of the passes.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_DUALBOUND_H
#define SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_DUALBOUND_H

#include "WorkGraph.h"

namespace shardsmith::solver {

class DualBound {
public:
  explicit DualBound(const WorkGraph &graph);

  /// Runs one pass forward and one back over all nodes. With `keep` a node
  /// keeps a part of what it has for the way back, else it hands on everything.
  void ascend(bool keep);

  /// The bound on the nodes that are alive, without the graph's constant.
  int64_t value() const;

  /// For each strategy of `node` a lower bound on the cost of all assignments
  /// that have it. `total` is `value()`.
  std::vector<int64_t> marginals(NodeIndex node, int64_t total) const;

  /// An assignment (positions in the nodes' strategy lists) that follows the
  /// moved costs, improved one node at a time.
  std::vector<size_t> round() const;

  const Messages &getMessages() const { return messages; }

private:
  /// An edge from the end that owns it.
  struct Link {
    NodeIndex other;
    /// Position of the edge among those of the other end.
    size_t back;
    const int64_t *table;
  };

  /// Writes for each strategy of `node` the smallest moved cost of its edge
  /// `link`.
  void rowMinima(NodeIndex node, size_t link,
                 std::vector<int64_t> &minima) const;
  /// Moves all that an edge can give to the node.
  void collect(NodeIndex node, size_t link);
  /// Moves what the node has to its edges to nodes that come after it.
  void handOn(NodeIndex node, bool forward, bool keep);
  template <typename Order>
  void pass(const Order &order, bool forward, bool keep);
  void improve(std::vector<size_t> &positions) const;
  bool isAfter(NodeIndex other, NodeIndex node, bool forward) const {
    return forward == (other > node);
  }

  const WorkGraph &graph;
  std::vector<NodeIndex> nodes;
  std::vector<std::vector<Link>> links;
  Messages messages;
  /// Moved costs of the nodes.
  std::vector<std::vector<int64_t>> moved;
  std::vector<int64_t> scratch;
  bool isFirstPass = true;
};

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_DUALBOUND_H
