// SPDX-License-Identifier: Apache-2.0
// Gather and scatter are each other's mirror image: this file holds what they
// share, so that the derivative of one can be built from the other.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_INDEXING_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_INDEXING_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

namespace shardsmith {

/// Windows of a tensor at computed positions, as gather reads and scatter
/// writes them. Named after gather's attributes; scatter calls `offsetDims`
/// update window dimensions and `collapsedDims` inserted ones.
struct IndexedWindows {
  mlir::RankedTensorType operandType;
  mlir::Value indices;
  llvm::SmallVector<int64_t> sliceSizes;
  llvm::SmallVector<int64_t> offsetDims;
  llvm::SmallVector<int64_t> collapsedDims;
  llvm::SmallVector<int64_t> operandBatchingDims;
  llvm::SmallVector<int64_t> indicesBatchingDims;
  llvm::SmallVector<int64_t> startIndexMap;
  int64_t indexVectorDim = 0;
  bool indicesAreSorted = false;
  bool uniqueIndices = false;

  static IndexedWindows of(stablehlo::GatherOp op);
  static IndexedWindows of(stablehlo::ScatterOp op);

  /// The largest start index of component `component` of an index vector.
  int64_t largestStart(size_t component) const;

  /// The windows of `operand`, which has any element type.
  TensorValue gather(TensorValue operand) const;

  /// `operand` with `updates` added to its windows.
  TensorValue scatterAdd(TensorValue operand, TensorValue updates) const;

  /// `operand` with its windows multiplied by `updates`.
  TensorValue scatterMultiply(TensorValue operand, TensorValue updates) const;

  /// `operand` with its windows replaced by `updates`.
  TensorValue scatterReplace(TensorValue operand, TensorValue updates) const;

  /// The same windows with start indices moved inside, as gather reads them.
  IndexedWindows clamped(mlir::ImplicitLocOpBuilder &builder) const;

  /// Booleans of type `updatesType`'s shape: whether scatter writes the window
  /// of an update, or skips it because it would lie outside.
  TensorValue isInside(mlir::ImplicitLocOpBuilder &builder,
                       mlir::RankedTensorType updatesType) const;

private:
  template <typename OpTy>
  TensorValue scatterWith(TensorValue operand, TensorValue updates) const;
  TensorValue boundsLike(mlir::ImplicitLocOpBuilder &builder) const;
  stablehlo::ScatterOp scatter(TensorValue operand, TensorValue updates) const;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_INDEXING_H
