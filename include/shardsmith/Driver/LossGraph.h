// SPDX-License-Identifier: Apache-2.0
//
// A model file's graph, what the strategy search sees of it, and the way from a
// strategy to an annotated train step:
//
//     graph ──extractWorkload──▶ workload ──search──▶ strategy
//       └──────────────── annotate ◀──────────────────────┘
//                            └─▶ differentiate, with the annotations on it

#ifndef SHARDSMITH_DRIVER_LOSSGRAPH_H
#define SHARDSMITH_DRIVER_LOSSGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Train/TrainStep.h"
#include "shardsmith/ValueLayouts/Plan.h"
#include "shardsmith/Workload/GraphMap.h"

#include <optional>

namespace shardsmith {

class Session;

class LossGraph {
public:
  /// Throws Stop or Failure.
  LossGraph(Session &session, const ModelOptions &model);

  /// Missing for files that hold a train step, and for graphs that are no chain
  /// of blocks that count samples.
  std::optional<workload::Workload> workload;
  /// Whether the file has a mesh, and so shardings of its own.
  bool hasMesh() const;
  /// Whether counted loops have stayed loops (docs/loops.md).
  bool hasLoops() const;
  /// Whether programs can have a layer's experts on several ranks.
  bool canSpreadExperts() const;

  /// The graph, differentiated, without what a strategy decides: the ops are
  /// those of any plan's program. Throws Stop or Failure.
  mlir::OwningOpRef<mlir::ModuleOp>
  makePlainTrainStep(Session &session, const TrainOptions &train) const;

  /// Ends the use of this object: the graph, differentiated. With a strategy,
  /// its decisions are on the train step, and `searchPlan` completes them; if
  /// they cannot be written down, standard error says why, and all layouts are
  /// open.
  mlir::OwningOpRef<mlir::ModuleOp>
  intoTrainStep(Session &session, const TrainOptions &train,
                const Strategy *strategy = nullptr);

private:
  explicit LossGraph(mlir::OwningOpRef<mlir::ModuleOp> module)
      : module(std::move(module)) {}

  void readWorkload();
  /// Iterations of a loop over layers that the strategy has in different
  /// stages, or computes again in different ways, become loops of their own.
  void splitLoops(const Strategy &strategy);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Without derivatives that the file gives: what the workload was read off.
  mlir::OwningOpRef<mlir::ModuleOp> plain;
  mlir::IRMapping copies;
  workload::GraphMap map;
};

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_LOSSGRAPH_H
