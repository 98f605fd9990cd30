// SPDX-License-Identifier: Apache-2.0
//
// Values of a step that no parameter goes into, and that take no more than
// several times a batch: they are known before the first micro-batch, such as
// the number of positions that a mask leaves.

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_KNOWNAHEAD_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_KNOWNAHEAD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace shardsmith {

class KnownAhead {
public:
  /// `body` has the function's arguments. Of those that are `split` the largest
  /// says what a batch is.
  KnownAhead(mlir::func::FuncOp function, mlir::Block *body,
             llvm::function_ref<bool(mlir::Value)> isSplit);

  /// The value, computed as in the function, at the end of what `builder` has
  /// built so far; null if it is not known ahead.
  mlir::Value compute(mlir::OpBuilder &builder, mlir::Value value);

private:
  mlir::func::FuncOp function;
  llvm::DenseSet<mlir::Value> known;
  /// By value what has been computed.
  mlir::IRMapping values;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_KNOWNAHEAD_H
