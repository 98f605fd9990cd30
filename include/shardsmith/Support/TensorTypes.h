// SPDX-License-Identifier: Apache-2.0
//
// Types of values that are known to be tensors with a rank, as all values of
// imported models are.

#ifndef SHARDSMITH_SUPPORT_TENSORTYPES_H
#define SHARDSMITH_SUPPORT_TENSORTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace shardsmith {

/// The type of a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}

/// The sizes of a tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return typeOf(tensor).getShape();
}

/// What a tensor is made of.
inline mlir::Type elementOf(mlir::Value tensor) {
  return typeOf(tensor).getElementType();
}

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_TENSORTYPES_H
