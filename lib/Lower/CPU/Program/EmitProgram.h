// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_EMITPROGRAM_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_EMITPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardsmith::cpu {

/// `@main` of a module whose buffers are planned; null, after an error, if
/// there is none.
mlir::func::FuncOp findPlannedMain(mlir::ModuleOp lowered);

/// Builds a module with `smith_step`, `smith_manifest` and the functions of
/// all kernels from a function with planned buffers. Null on failure; a
/// diagnostic has been emitted.
mlir::OwningOpRef<mlir::ModuleOp> emitProgram(mlir::func::FuncOp function,
                                              llvm::StringRef manifest);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_EMITPROGRAM_H
