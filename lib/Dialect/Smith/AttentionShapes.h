// SPDX-License-Identifier: Apache-2.0
//
// What the verifiers of the ops of attention have in common.

#ifndef SHARDSMITH_LIB_DIALECT_SMITH_ATTENTIONSHAPES_H
#define SHARDSMITH_LIB_DIALECT_SMITH_ATTENTIONSHAPES_H

#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Support/TensorTypes.h"

namespace shardsmith::smith {

template <typename AnyOp> AttentionSizes sizesOf(AnyOp op) {
  return attentionSizes(typeOf(op.getQuery()), typeOf(op.getKey()),
                        typeOf(op.getValue()));
}

/// Checks that `value` has the sizes `batch` and, behind them, `rest`.
llvm::LogicalResult verifyShape(mlir::Operation *op, const char *name,
                                mlir::Value value,
                                llvm::ArrayRef<int64_t> batch,
                                llvm::ArrayRef<int64_t> rest);

/// The bias may repeat along any dimension of the scores.
llvm::LogicalResult verifyBias(mlir::Operation *op, mlir::Value bias,
                               const AttentionSizes &sizes);

template <typename AnyOp> llvm::LogicalResult verifyInputs(AnyOp op) {
  if (typeOf(op.getQuery()).getRank() < 3)
    return op.emitOpError() << "has queries of type " << op.getQuery().getType()
                            << ": expected groups, positions and features as "
                               "their last three dimensions";
  for (mlir::Value value : {op.getKey(), op.getValue()})
    if (typeOf(value).getRank() != typeOf(op.getQuery()).getRank() - 1)
      return op.emitOpError()
             << "has keys or values of type " << value.getType()
             << ": expected one dimension less than the queries have, "
             << op.getQuery().getType();
  AttentionSizes sizes = sizesOf(op);
  if (llvm::failed(
          verifyShape(op, "keys", op.getKey(), sizes.batch,
                      {sizes.keys, typeOf(op.getQuery()).getShape().back()})) ||
      llvm::failed(verifyShape(op, "values", op.getValue(), sizes.batch,
                               {sizes.keys, sizes.valueSize})) ||
      llvm::failed(
          verifyShape(op, "an output", op.getOutput(), sizes.batch,
                      {sizes.groups, sizes.queries, sizes.valueSize})) ||
      llvm::failed(verifyShape(op, "log-sum-exps", op.getLogSumExp(),
                               sizes.batch, {sizes.groups, sizes.queries})))
    return llvm::failure();
  if (op.getBias() && llvm::failed(verifyBias(op, op.getBias(), sizes)))
    return llvm::failure();
  if (!op.getScale().isFinite())
    return op.emitOpError("has a scale that is no finite number");
  return llvm::success();
}

} // namespace shardsmith::smith

#endif // SHARDSMITH_LIB_DIALECT_SMITH_ATTENTIONSHAPES_H
