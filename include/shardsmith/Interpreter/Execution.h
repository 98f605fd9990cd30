// SPDX-License-Identifier: Apache-2.0
//
// Runs functions on whole tensors: as they are, or, if they are local programs
// of a mesh, on all its devices.

#ifndef SHARDSMITH_INTERPRETER_EXECUTION_H
#define SHARDSMITH_INTERPRETER_EXECUTION_H

#include "shardsmith/Interpreter/Comparison.h"
#include "shardsmith/Interpreter/Machine.h"
#include "shardsmith/Interpreter/RoundingNoise.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

namespace shardsmith::inline interpreter {

struct Execution {
  Outcome outcome = Outcome::Completed;
  /// Whole tensors; empty unless the program ran to its end.
  Tensors results;
  /// Checks the program made of its own values (`custom_call @check.…`).
  int64_t checks = 0;
  int64_t failedChecks = 0;
};

/// The function called `name`. Emits an error if there is none.
mlir::FailureOr<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                 llvm::StringRef name);

/// True if `function` is a local program: an argument or result carries
/// `smith.global_shape`.
bool isLocalProgram(mlir::func::FuncOp function);

/// Types of the whole tensors that a function's arguments stand for. Emits an
/// error where the interpreter does not support a type.
mlir::FailureOr<llvm::SmallVector<StaticType>>
wholeArgumentTypes(mlir::func::FuncOp function);

/// Runs on one device, ignoring shardings. Types must be those of
/// `wholeArgumentTypes`.
Execution runWhole(mlir::func::FuncOp function, Tensors arguments);

/// The same with random errors as large as those of rounding.
Execution runShaken(mlir::func::FuncOp function, Tensors arguments,
                    RoundingNoise &noise);

/// Runs a local program on all devices of the module's mesh. Arguments are
/// split and results assembled by their `sdy.sharding`. An error is emitted
/// and the outcome is `CheckFailed` where devices that should hold copies of
/// the same elements of a result differ by more than `copies`.
Execution runPartitioned(mlir::func::FuncOp function, Tensors arguments,
                         const Tolerance &copies);

/// The one of the two that fits the function.
Execution run(mlir::func::FuncOp function, Tensors arguments,
              const Tolerance &copies);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_EXECUTION_H
