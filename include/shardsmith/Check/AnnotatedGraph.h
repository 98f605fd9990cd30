// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_CHECK_ANNOTATEDGRAPH_H
#define SHARDSMITH_CHECK_ANNOTATEDGRAPH_H

#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Workload/GraphMap.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith::check {

/// Reads back what an annotated graph says a plan has decided, and whether all
/// of its annotations say the same: docs/check.md. `map` and `workload` are
/// those of `model`, the graph without annotations.
GraphDecisions readAnnotatedGraph(mlir::ModuleOp annotated,
                                  mlir::ModuleOp model,
                                  const workload::GraphMap &map,
                                  const workload::Workload &workload);

} // namespace shardsmith::check

#endif // SHARDSMITH_CHECK_ANNOTATEDGRAPH_H
