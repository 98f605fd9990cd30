// SPDX-License-Identifier: Apache-2.0
//
// The ops of a step in micro-batches.

#ifndef SHARDSMITH_DIALECT_SMITH_MICROBATCHOPS_H
#define SHARDSMITH_DIALECT_SMITH_MICROBATCHOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#include "llvm/ADT/SetVector.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithMicroBatchOps.h.inc"

namespace shardsmith::smith {

/// On a function: sums over micro-batches are kept in shards wherever states
/// of the optimizer are, as ZeRO-2 keeps gradients. Terms are then reduced over
/// devices once per micro-batch.
inline constexpr llvm::StringLiteral kSplitSumsAttributeName =
    "smith.split_sums";

/// On the function of a model or step: where single samples use a value of the
/// whole batch, every micro-batch takes its own instead.
inline constexpr llvm::StringLiteral kPerMicroBatchAttributeName =
    "smith.per_micro_batch";

/// On a function that `smith.run` calls: the pass as schedules write it,
/// without its micro-batch (`2F`).
inline constexpr llvm::StringLiteral kPassAttributeName = "smith.pass";

/// On a step in the folded form whose data ranks have different numbers of
/// micro-batches: that of each, in the order of their parts of the batch.
inline constexpr llvm::StringLiteral kSharesAttributeName = "smith.shares";
/// On an op of such a step, until layouts are known: the dimension of its
/// result that has the rows of all data ranks, neutral where they do not count.
inline constexpr llvm::StringLiteral kCountedRowsAttributeName =
    "smith.counted_rows";
/// On `@main`, on a rank's program and on `smith.repeat`: by device of the mesh
/// how many micro-batches it does; others it leaves out.
inline constexpr llvm::StringLiteral kCountsAttributeName = "smith.counts";
/// On `@main`: the axes along which these numbers differ.
inline constexpr llvm::StringLiteral kCountAxesAttributeName =
    "smith.count_axes";
/// On a message between stages: the micro-batch that it is part of.
inline constexpr llvm::StringLiteral kMicroBatchAttributeName =
    "smith.micro_batch";

/// Whether a step is in the folded form.
bool isInMicroBatches(mlir::func::FuncOp function);
/// Micro-batches of a step in the folded form; 1 for any other.
int64_t getMicroBatchCount(mlir::func::FuncOp function);

/// The ops of a function in the folded form that are done once per
/// micro-batch, in order: what depends on the number of the micro-batch, up to
/// and with the accumulations.
llvm::SetVector<mlir::Operation *> findRepeatedOps(mlir::func::FuncOp function);
llvm::SetVector<mlir::Operation *> findRepeatedOps(mlir::Block &block);

/// The function that `smith.repeat` or `smith.run` calls.
mlir::func::FuncOp getCallee(mlir::Operation *op);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_MICROBATCHOPS_H
