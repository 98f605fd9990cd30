// SPDX-License-Identifier: Apache-2.0
//
// Arguments for programs to interpret, and their results, by the names that
// `smith.name` gives them (else `argument0`, `result0`, …). Synthetic values
// are those that an emitted program makes from the same seed.

#ifndef SHARDSMITH_INTERPRETER_INPUTS_H
#define SHARDSMITH_INTERPRETER_INPUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Interpreter/Machine.h"

namespace shardsmith::inline interpreter {

std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// Whole arguments: parameters and states by their `smith.init`, batches of
/// step `step` random within their `smith.limit`. Arguments without a role are
/// treated as batches. Emits an error for types that cannot be made up.
mlir::FailureOr<Tensors> synthesizeArguments(mlir::func::FuncOp function,
                                             uint64_t seed, int64_t step = 0);

/// Replaces the batches in `arguments` by those of another step, and every
/// argument that a result replaces (by name) by that result.
llvm::LogicalResult advanceStep(mlir::func::FuncOp function, uint64_t seed,
                                int64_t nextStep,
                                llvm::ArrayRef<Tensor> results,
                                Tensors &arguments);

/// Reads all arguments from a safetensors file; all must be there.
mlir::FailureOr<Tensors> readArguments(mlir::func::FuncOp function,
                                       const std::string &path);

/// Writes whole arguments so that `readArguments` and programs can read them.
llvm::LogicalResult writeArguments(mlir::func::FuncOp function,
                                   llvm::ArrayRef<Tensor> arguments,
                                   const std::string &path);

/// Reads all results of a function on whole tensors.
mlir::FailureOr<Tensors> readResults(mlir::func::FuncOp function,
                                     const std::string &path);

llvm::LogicalResult writeResults(mlir::func::FuncOp function,
                                 llvm::ArrayRef<Tensor> results,
                                 const std::string &path);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_INPUTS_H
