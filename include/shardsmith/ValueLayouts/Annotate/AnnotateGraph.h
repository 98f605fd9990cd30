// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEGRAPH_H
#define SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEGRAPH_H

#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/ValueLayouts/Plan.h"
#include "shardsmith/Workload/GraphMap.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Error.h"

namespace shardsmith {

/// Writes what a strategy decides into the loss graph that the workload was
/// read off: the mesh, a sharding on every value, axes on every op, stage and
/// recomputation on the ops of every unit. docs/annotated-graph.md says what
/// each means. `map` belongs to `module`. Fails with exit code 5, naming the
/// op, and leaves the module as it is, where a layout cannot be written down.
llvm::Error annotateGraph(mlir::ModuleOp module, const workload::GraphMap &map,
                          const workload::Workload &workload,
                          const Strategy &strategy);

/// The mesh of a train step, major axis first: the one to distant devices.
/// What ZeRO splits has an axis of its own, `fsdp` for ZeRO-3 and `zero_shard`
/// for 1 and 2; `expert` is the part of data, and `expert_context` the part of
/// context, over which experts are spread. Axes of one rank are left out.
std::vector<FixedAxis> trainingMesh(const Strategy &strategy);

/// Writes what a strategy decides into a loss graph that is to become a train
/// step, on the mesh that `trainingMesh` gives. Layouts are written where a
/// partitioner by dimensions can follow them to the letter; where a dimension
/// is split inside (`smith.parts`), and for what reads or makes such a value,
/// they stay open. A value layout search completes these and those of
/// derivatives and updates (`searchPlan`). Every op of a unit says which unit
/// that is and whether the backward pass computes the op again.
///
/// `module` may hold derivatives of its own (`smith.with_derivative`); `map`
/// belongs to `plain`, a copy without them, and `copies` leads from one to the
/// other.
llvm::Error annotateForTraining(mlir::ModuleOp module, mlir::ModuleOp plain,
                                const mlir::IRMapping &copies,
                                const workload::GraphMap &map,
                                const workload::Workload &workload,
                                const Strategy &strategy);

} // namespace shardsmith

#endif // SHARDSMITH_VALUELAYOUTS_ANNOTATE_ANNOTATEGRAPH_H
