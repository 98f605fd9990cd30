// SPDX-License-Identifier: Apache-2.0
//
// Tensors seen through strides.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_DOTS_STRIDEDVIEW_H
#define SHARDSMITH_LIB_LOWER_COMMON_DOTS_STRIDEDVIEW_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace shardsmith::lower {

/// Element [i…] is element offset + Σ i·stride of `base`'s row-major buffer.
struct StridedView {
  mlir::Value base;
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> sizes, strides;
};

/// Row-major strides of a shape.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Follows transposes, slices and reshapes from `value` to the buffer they
/// read, as far as strides can express it.
StridedView viewOf(mlir::Value value);

/// The same dimensions in one, major first; no result if their elements are
/// not evenly spaced.
struct Dimension {
  int64_t size = 1, stride = 0;
};
std::optional<Dimension> collapse(llvm::ArrayRef<Dimension> dimensions);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_DOTS_STRIDEDVIEW_H
