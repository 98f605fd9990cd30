// SPDX-License-Identifier: Apache-2.0
//
// What keeps a program from being planned need not keep it from being looked
// at: a pass that reports it so leaves the program whole, the passes behind it
// find what else there is, and `check-forward-graph` fails in the end. None of
// them finds the same again: zeros stand in for what was reported.

#ifndef SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H
#define SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Support/ErrorList.h"

namespace shardsmith {

/// Emits the errors, if there are any, and marks the function or the module.
/// Fails then, unless other passes are to find what else there is.
llvm::LogicalResult reportUnsupported(mlir::Operation *program,
                                      const ErrorList &errors, bool goOn);

/// Whether something has been reported of the module or a function in it.
bool hasUnsupported(mlir::ModuleOp module);

/// A type as diagnostics name it.
std::string quoted(mlir::Type type);

/// Null where there are none: of dynamic shapes, of tokens.
mlir::DenseElementsAttr zerosOf(mlir::Type type);

/// Replaces `op` by zeros. Returns false and leaves it alone where there are
/// none of its results' types.
bool replaceByZeros(mlir::Operation *op);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H
