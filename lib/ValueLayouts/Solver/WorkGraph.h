// SPDX-License-Identifier: Apache-2.0
//
// A problem without memory limit that shrinks while it is being solved.
//
// Every step below keeps at least one optimal assignment and the optimal cost
// and can be undone: `complete` extends an assignment of the nodes that are
// left to all nodes of the problem.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_WORKGRAPH_H
#define SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_WORKGRAPH_H

#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace shardsmith::solver {

/// Rows are the strategies of the node that owns the table, columns those of
/// the neighbour it is stored for. Both ends of an edge store it.
using EdgeTable = std::vector<int64_t>;

/// What nodes take from their edges: one list per node, in it one per edge in
/// the order of `WorkNode::edges`, in that one entry per strategy.
using Messages = std::vector<std::vector<std::vector<int64_t>>>;

struct WorkNode {
  bool alive = true;
  std::vector<int64_t> costs;
  /// The strategies that are left, as indices into the problem's list.
  std::vector<StrategyIndex> strategies;
  std::map<NodeIndex, EdgeTable> edges;

  size_t size() const { return costs.size(); }
};

class WorkGraph {
public:
  explicit WorkGraph(const PlanProblem &problem);

  /// Applies the reductions until none of them changes anything. Afterwards
  /// every node that is left has three neighbours or more.
  void reduce();

  /// Drops the strategies of `node` for which `keep` is false.
  void keepOnly(NodeIndex node, const std::vector<bool> &keep);

  /// Moves costs between nodes and edges, which changes no assignment's
  /// price. Then takes the minima of all nodes and edges into the constant, so
  /// that all costs stay non-negative and the constant is a lower bound.
  void move(const Messages &messages);

  bool isInfeasible() const { return infeasible; }
  /// Cost of everything that has been decided, eliminated or moved so far; a
  /// lower bound, because all other costs are non-negative.
  int64_t constantCost() const { return constant; }
  std::vector<NodeIndex> aliveNodes() const;
  /// Entries of all tables, from both ends: what one pass over them takes.
  int64_t countEntries() const;
  const WorkNode &operator[](NodeIndex node) const { return nodes[node]; }

  /// `choice` has a strategy of the problem for each node that is alive;
  /// fills in the others.
  void complete(std::vector<StrategyIndex> &choice) const;

private:
  /// A node that was eliminated: its best strategy depends on its neighbours
  /// at that moment alone.
  struct Eliminated {
    NodeIndex node;
    WorkNode content;
    std::vector<std::vector<StrategyIndex>> neighbourStrategies;
  };

  bool removeUnsupported(NodeIndex node);
  bool removeDominated(NodeIndex node);
  bool dominates(const WorkNode &node, size_t better, size_t worse) const;
  void eliminate(NodeIndex node);
  void addTable(NodeIndex first, NodeIndex second, const EdgeTable &table);
  void touch(NodeIndex node) { pending.insert(node); }

  std::vector<WorkNode> nodes;
  std::vector<std::shared_ptr<const Eliminated>> eliminated;
  std::set<NodeIndex> pending;
  int64_t constant = 0;
  bool infeasible = false;
};

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_WORKGRAPH_H
