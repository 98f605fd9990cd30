// SPDX-License-Identifier: Apache-2.0
//
// Exact solution of graphs of small width: eliminate one node after the
// other, each time replacing the tables that mention it by one table over its
// neighbours. The largest such table decides whether this is possible.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_BUCKETELIMINATION_H
#define SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_BUCKETELIMINATION_H

#include "WorkGraph.h"

namespace shardsmith::solver {

struct EliminationOrder {
  std::vector<NodeIndex> nodes;
  /// Work of the largest elimination and of all of them: combinations of
  /// strategies of a node and its neighbours at that moment.
  double largest = 0;
  double total = 0;
};

/// The better of two greedy orders: smallest table, fewest new edges. An order
/// whose tables exceed `mostWork` in total is given up and has no nodes.
EliminationOrder findEliminationOrder(const WorkGraph &graph, double mostWork);

/// Fills in the best strategies of the nodes that are alive and returns their
/// cost, without the graph's constant; `forbiddenCost` if there is none.
int64_t eliminateBuckets(const WorkGraph &graph, const EliminationOrder &order,
                         std::vector<StrategyIndex> &choice);

} // namespace shardsmith::solver

#endif // SHARDSMITH_LIB_VALUELAYOUTS_SOLVER_BUCKETELIMINATION_H
