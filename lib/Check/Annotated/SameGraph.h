// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CHECK_ANNOTATED_SAMEGRAPH_H
#define SHARDSMITH_LIB_CHECK_ANNOTATED_SAMEGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace shardsmith::check {

/// What stands for an op or value of the model in the annotated graph.
struct Peers {
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

/// Where two graphs differ in more than annotations.
struct GraphDifference {
  mlir::Location place;
  std::string reason;
};
/// Walks both graphs side by side.
std::optional<GraphDifference>
matchGraphs(mlir::ModuleOp model, mlir::ModuleOp annotated, Peers &peers);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ANNOTATED_SAMEGRAPH_H
