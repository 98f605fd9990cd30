// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_IMPORT_LOADMODEL_H
#define SHARDSMITH_IMPORT_LOADMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "shardsmith/Support/ExitCode.h"

namespace shardsmith {

/// Brackets may be nested this deep in a model file. The parser descends one
/// stack frame per bracket; real models stay below 20.
inline constexpr unsigned maxNesting = 256;

/// Reads the model file at `path` ("-": standard input). On failure returns
/// null, diagnostics have been emitted to the context, and `failure` is the
/// exit code that fits: `BadInput`, or `Unsupported` for an unknown op.
mlir::OwningOpRef<mlir::ModuleOp>
loadModel(llvm::StringRef path, mlir::MLIRContext &context, ExitCode &failure);

} // namespace shardsmith

#endif // SHARDSMITH_IMPORT_LOADMODEL_H
