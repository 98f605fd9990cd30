// SPDX-License-Identifier: Apache-2.0
//
// What keeps a program from being planned need not keep it from being looked
// at: a pass that reports it so leaves the program whole, the passes behind it
// find what else there is, and `check-forward-graph` fails in the end.

#ifndef SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H
#define SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Support/ErrorList.h"

namespace shardsmith {

/// Emits the errors, if there are any, and marks the function.
void reportUnsupported(mlir::func::FuncOp function, const ErrorList &errors);

/// Whether something has been reported of the function.
bool hasUnsupported(mlir::func::FuncOp function);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_UNSUPPORTED_H
