// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_FORWARDGRAPH_H
#define SHARDSMITH_LIB_TRAIN_FORWARDGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

inline constexpr llvm::StringLiteral kRoleAttribute = "smith.role";
inline constexpr llvm::StringLiteral kNameAttribute = "smith.name";
inline constexpr llvm::StringLiteral kInitAttribute = "smith.init";

/// `@main` of a forward graph, its arguments and results by role.
struct ForwardGraph {
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::BlockArgument> parameters;
  llvm::SmallVector<mlir::BlockArgument> states;
  /// Batch and constant arguments, in their order.
  llvm::SmallVector<mlir::BlockArgument> others;
  /// Position of the loss among the results.
  unsigned lossIndex = 0;

  mlir::Block &body() { return function.getBody().front(); }
  mlir::Value loss() { return body().getTerminator()->getOperand(lossIndex); }
  llvm::StringRef nameOf(mlir::BlockArgument argument);
};

/// The public function `@main` with a body, or null after a diagnostic.
mlir::func::FuncOp findMain(mlir::ModuleOp module);

/// The role of a result; empty if it has none.
llvm::StringRef roleOfResult(mlir::func::FuncOp function, unsigned index);

/// Reads roles and checks that there is something to train: parameters of
/// float type with names (the smith dialect has verified that these are
/// distinct), and one scalar float loss.
llvm::FailureOr<ForwardGraph> readForwardGraph(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_FORWARDGRAPH_H
