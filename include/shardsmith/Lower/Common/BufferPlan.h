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
//   smith.workspace     on a call: where the function's temporaries are, with
//                       smith.workspace_bytes on the function
//
// A function that is called has its temporaries in the workspace, from which
// their offsets count. Its arguments and results are buffers of the caller, who
// passes a table of their addresses: those of the arguments, then those of the
// results. Entry k of the table is written as offset `tableOffset(k)`.
//
// A reshape shares its operand's offset. A constant has offset −1: it lives
// in the program's read-only data.
inline constexpr llvm::StringLiteral arenaAttributeName = "smith.arena_bytes";
inline constexpr llvm::StringLiteral offsetAttributeName = "smith.offset";
inline constexpr llvm::StringLiteral offsetsAttributeName = "smith.offsets";
/// On collectives that follow each other and are one message: its number.
inline constexpr llvm::StringLiteral bucketAttributeName = "smith.bucket";
/// On collectives that go on while the ops behind them run; all of a message,
/// or none.
inline constexpr llvm::StringLiteral laterAttributeName = "smith.later";
/// On a kernel that is the GELU of the product in front of it: the library may
/// compute it with the product.
inline constexpr llvm::StringLiteral geluAttributeName = "smith.gelu";
/// Whether two ops, of which either may be null, are in one message.
bool areInOneBucket(mlir::Operation *a, mlir::Operation *b);
inline constexpr llvm::StringLiteral workspaceAttributeName = "smith.workspace";
inline constexpr llvm::StringLiteral workspaceBytesAttributeName =
    "smith.workspace_bytes";

inline int64_t tableOffset(int64_t entry) { return -2 - entry; }
/// The entry that an offset stands for, −1 for one in memory or a constant.
inline int64_t tableEntry(int64_t offset) {
  return offset < -1 ? -2 - offset : -1;
}

/// Assigns an offset to every tensor of a function whose ops are kernels,
/// library calls and collectives, and records it as attributes. On failure a
/// diagnostic has been emitted.
llvm::FailureOr<ProgramLayout> planBuffers(mlir::func::FuncOp function,
                                           const TargetTraits &target);

/// The programs of the ranks with one coordinate along the axis of stages each,
/// in order; none for a program that all ranks run. Where there are some,
/// `@main` has no body.
llvm::SmallVector<mlir::func::FuncOp> rankFunctions(mlir::func::FuncOp main);

/// The offset of a value's buffer, −1 for constants, less for entries of a
/// table.
int64_t offsetOf(mlir::Value value);

/// Bytes of one element in memory; a boolean takes one.
int64_t storageBytes(mlir::Type element);

/// Bytes of a tensor's buffer.
int64_t bufferBytes(mlir::Type tensor);

} // namespace lower
} // namespace shardsmith

#endif // SHARDSMITH_LOWER_COMMON_BUFFERPLAN_H
