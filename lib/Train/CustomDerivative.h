// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_CUSTOMDERIVATIVE_H
#define SHARDSMITH_LIB_TRAIN_CUSTOMDERIVATIVE_H

#include "shardsmith/Dialect/Smith/DerivativeOps.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith {

/// Results of the block's `stop_gradient`.
llvm::DenseSet<mlir::Value> findStoppedValues(mlir::Block &block);

/// Copies the body of the function that `op` names to the builder's insertion
/// point. Returns a cotangent for each of the op's inputs, null for those that
/// are not floats. A null cotangent of a result stands for zero.
llvm::SmallVector<mlir::Value>
buildCustomDerivative(smith::WithDerivativeOp op,
                      llvm::ArrayRef<mlir::Value> resultCotangents,
                      mlir::ImplicitLocOpBuilder &builder);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_CUSTOMDERIVATIVE_H
