// SPDX-License-Identifier: Apache-2.0
//
// Where every tensor of a local program lives.

#ifndef SHARDSMITH_LOWER_COMMON_BUFFERPLAN_H
#define SHARDSMITH_LOWER_COMMON_BUFFERPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Lower/Common/Target.h"
#include "shardsmith/Support/Quantity.h"

namespace shardsmith {

/// Sizes of one rank's arena, itemised. `arena` is what the program needs;
/// the others say for what.
struct ProgramLayout {
  Bytes arena;
  Bytes parameters, states, batch, constants;
  /// Everything else: intermediate values, and results with storage of their
  /// own.
  Bytes temporaries;
  /// The most bytes of temporaries alive at once: no plan that keeps the
  /// order of ops can use less.
  Bytes temporariesLowerBound;
};

namespace lower {

// What the plan writes into the IR.
//
//   smith.arena_bytes   on the function
//   smith.offset        on arguments and results of the function
//   smith.offsets       on an op: the offset of each result
//
// A reshape shares its operand's offset. A constant has offset −1: it lives
// in the program's read-only data.
inline constexpr llvm::StringLiteral arenaAttributeName = "smith.arena_bytes";
inline constexpr llvm::StringLiteral offsetAttributeName = "smith.offset";
inline constexpr llvm::StringLiteral offsetsAttributeName = "smith.offsets";

/// Assigns an offset to every tensor of a function whose ops are kernels,
/// library calls and collectives, and records it as attributes. On failure a
/// diagnostic has been emitted.
llvm::FailureOr<ProgramLayout> planBuffers(mlir::func::FuncOp function,
                                           const TargetTraits &target);

/// The argument whose storage result `index` takes over: the parameter or
/// state of the same name; −1 if there is none.
int64_t replacedArgument(mlir::func::FuncOp function, unsigned index);

/// The offset of a value's buffer, −1 for constants.
int64_t offsetOf(mlir::Value value);

/// Bytes of one element in memory; a boolean takes one.
int64_t storageBytes(mlir::Type element);

/// Bytes of a tensor's buffer.
int64_t bufferBytes(mlir::Type tensor);

} // namespace lower
} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_BUFFERPLAN_H
