// SPDX-License-Identifier: Apache-2.0
//
// The planning problem of a train step on one mesh.
//
//   argument ──┐                       one node per class of tied arguments
//              v                       and ops: its strategies, compute time
//   producer ─> hub ─┬─> consumer      edges: time of the reshard between two
//                    └─> consumer      layouts
//
// A value with several readers gets a *hub*, a node that chooses the layout
// in which the value is handed out: the partitioner reshards a result right
// after the op that makes it, once for all readers, and what readers need
// beyond that on its own. Arguments are resharded where they are used, so
// each group of uses that are near each other has a hub of its own: forward
// and backward pass gather a parameter each.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPPROBLEM_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPPROBLEM_H

#include "LayoutRules.h"
#include "StepGraph.h"
#include "Strategies.h"
#include "shardsmith/Cost/Programs/MeshTimes.h"
#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

namespace shardsmith::plan {

/// Which nodes are decided together: a class per node, numbered from 0.
struct Ties {
  std::vector<unsigned> classOfNode;
  unsigned classCount = 0;
};
Ties tieNodes(const StepGraph &graph);
/// Every node a class of its own.
Ties tieNothing(const StepGraph &graph);

/// Readers of a value that get it in one layout.
struct Handout {
  /// The problem node that chooses the layout; -1 if it is the producer's.
  int64_t hub = -1;
  std::vector<StepUse> uses;
  /// Results of the function.
  std::vector<unsigned> returnedAs;

  /// How often the value is brought into that layout: results where they are
  /// made, arguments where they are used.
  int64_t timesPerStep(const StepGraph &graph, const StepValue &value) const;
};

struct StepProblem {
  PlanProblem problem;
  LayoutPool pool;
  /// The strategies of each problem node. Those of hubs have one result and no
  /// operands.
  std::vector<std::vector<Strategy>> strategies;
  /// For each step node the problem node that decides it.
  std::vector<unsigned> decisionOfNode;
  /// For each value its handouts.
  std::vector<std::vector<Handout>> handouts;
  /// For each result of the function that no argument fixes the layout that it
  /// must have; -1 stands for the layout of the value once it is no partial
  /// sum.
  std::vector<int64_t> pinnedResult;

  /// The layout in which `value` leaves its producer.
  unsigned producedLayout(const StepGraph &graph, unsigned value,
                          llvm::ArrayRef<StrategyIndex> choice) const;
  /// The layout in which one of its handouts is.
  unsigned handedLayout(const StepGraph &graph, unsigned value,
                        const Handout &handout,
                        llvm::ArrayRef<StrategyIndex> choice) const;
};

/// How a node is split by the axes that have been placed already.
struct Placed {
  FactorAxes axes;
  Layout layout;
};
/// The placement in which no axis splits anything.
std::vector<Placed> placeNothing(const StepGraph &graph);
/// The placement that a solution decides.
std::vector<Placed> placedBy(const StepGraph &graph, const StepProblem &problem,
                             llvm::ArrayRef<StrategyIndex> choice);

/// What the builder needs to know besides the graph.
struct ProblemInputs {
  const StepGraph &graph;
  const Ties &ties;
  const Pins &pins;
  const AxisRules &rules;
  const MeshTimes &costs;
  /// The axes that are placed now. Axes before them are placed already; for
  /// each node `placed` says how they split its factors, or its dimensions if
  /// it is an argument.
  AxisRange range;
  const std::vector<Placed> &placed;
};

/// Fails with exit code 3 where pins leave an op or argument no choice.
llvm::Expected<StepProblem> buildStepProblem(const ProblemInputs &inputs);

/// Compute time of a node on one device under a strategy.
Nanoseconds getComputeTime(const StepGraph &graph, const StepNode &node,
                           const Strategy &strategy, const LayoutPool &pool,
                           const MeshTimes &costs);

/// What an op exchanges by itself over some axes: messages along a ring, or
/// elements that shards need of each other.
struct OpMessages {
  CollectiveKind kind = CollectiveKind::Permute;
  AxisList axes;
  int64_t count = 0;
  Bytes bytesEach;
  /// Of all of them.
  Nanoseconds time;
};

/// The messages of a node under a strategy; none if it needs none.
llvm::SmallVector<OpMessages, 0> getOpMessages(const StepGraph &graph,
                                               const StepNode &node,
                                               const Strategy &strategy,
                                               const LayoutPool &pool,
                                               const MeshTimes &costs);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPPROBLEM_H
