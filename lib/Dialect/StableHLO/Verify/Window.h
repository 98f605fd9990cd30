// SPDX-License-Identifier: Apache-2.0
// Sliding windows, as convolution, reduce_window and select_and_scatter share.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_WINDOW_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_WINDOW_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

/// How a window runs along one dimension.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t paddingLow = 0;
  int64_t paddingHigh = 0;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
};

using OptionalDims = std::optional<llvm::ArrayRef<int64_t>>;

/// One entry per size; absent attributes keep the defaults above.
llvm::FailureOr<llvm::SmallVector<WindowDimension>>
readWindow(const Reporter &report, llvm::ArrayRef<int64_t> sizes,
           OptionalDims strides,
           std::optional<mlir::DenseIntElementsAttr> padding,
           OptionalDims baseDilations, OptionalDims windowDilations);

/// Number of positions of the windows over a base of this shape:
///
///   floor((low + dilate(n) + high - dilate(size)) / stride) + 1
///   with dilate(n) = n == 0 ? 0 : (n - 1) * dilation + 1
llvm::FailureOr<Shape>
countWindowPositions(const Reporter &report, llvm::ArrayRef<int64_t> base,
                     llvm::ArrayRef<WindowDimension> window);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_WINDOW_H
