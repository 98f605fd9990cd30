// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PLAN_ANNOTATEGRAPH_H
#define SHARDSMITH_PLAN_ANNOTATEGRAPH_H

#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/GraphMap.h"

#include "mlir/IR/BuiltinOps.h"
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

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_ANNOTATEGRAPH_H
