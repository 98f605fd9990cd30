// SPDX-License-Identifier: Apache-2.0
//
// The ops of a folded step fall into three parts, whose order in the program
// is free but for what they read:
//
//     always   equal in all micro-batches: anyone may compute it
//     repeated depends on the micro-batch
//     after    depends on what is accumulated

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_STEPPARTS_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_STEPPARTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Interfaces/FactorRule.h"

namespace shardsmith {

struct StepParts {
  explicit StepParts(mlir::func::FuncOp step);

  llvm::SetVector<mlir::Operation *> repeated, after;
  /// Of what is always equal: ops worth computing once, before all
  /// micro-batches. Arguments alone go into them, without exchange between
  /// ranks, and their results are no larger than what they read. And all of a
  /// loop.
  llvm::SetVector<mlir::Operation *> once;
};

/// Whether ranks exchange data in an op.
bool exchanges(mlir::Operation *op);

/// By device how many micro-batches it does (`smith.counts` on the step), if
/// devices may leave out those behind: nothing is exchanged per micro-batch
/// over the axes along which the numbers differ. Otherwise null.
mlir::DenseI64ArrayAttr countsOf(mlir::func::FuncOp step,
                                 const StepParts &parts);

/// Emits a diagnostic if the value of one micro-batch is read as that of the
/// step.
llvm::LogicalResult verifyAccumulated(const StepParts &parts);

/// `a` and `b` as one, and what changes nothing, in a tensor.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location,
                    ReductionKind kind, mlir::Value a, mlir::Value b);
mlir::Value startOf(mlir::OpBuilder &builder, smith::AccumulateOp sum);

/// A function's last `count` results take the place of its last arguments.
void tieCarried(mlir::func::FuncOp function, unsigned count);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_STEPPARTS_H
