// SPDX-License-Identifier: Apache-2.0
// Sizes and paddings along one dimension of a sliding window.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_WINDOWGEOMETRY_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_WINDOWGEOMETRY_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace shardsmith {

/// One dimension of a window that slides over a padded input, both possibly
/// dilated:
///
///     input   low |a . b . c| high      inputDilation = 2
///     window      |x x|→                stride = 1, window = 2
struct WindowDimension {
  int64_t input = 1;
  int64_t window = 1;
  int64_t output = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t inputDilation = 1;
  int64_t windowDilation = 1;

  int64_t dilatedInput() const { return dilated(input, inputDilation); }
  int64_t dilatedWindow() const { return dilated(window, windowDilation); }
  int64_t dilatedOutput() const { return dilated(output, stride); }

  /// Padding of the output, dilated by the stride, so that the mirrored window
  /// sliding over it visits each position of the dilated input once. Negative
  /// where the forward pass padded more than a window.
  std::pair<int64_t, int64_t> inputGradientPadding() const {
    int64_t before = dilatedWindow() - low - 1;
    int64_t after =
        dilatedInput() + dilatedWindow() - 1 - dilatedOutput() - before;
    return {before, after};
  }

  /// Padding of the dilated input so that the dilated output sliding over it
  /// visits each position of the window once. What the last stride left
  /// unvisited is cropped.
  std::pair<int64_t, int64_t> windowGradientPadding() const {
    int64_t after =
        dilatedOutput() + dilatedWindow() - 1 - dilatedInput() - low;
    return {low, after};
  }

private:
  static int64_t dilated(int64_t size, int64_t dilation) {
    return size == 0 ? 0 : (size - 1) * dilation + 1;
  }
};

/// The attribute's number at `index`, or what its absence means.
inline int64_t numberOr(const std::optional<llvm::ArrayRef<int64_t>> &numbers,
                        size_t index, int64_t absent) {
  return numbers ? (*numbers)[index] : absent;
}

/// Rows of (low, high) padding as an attribute.
inline mlir::DenseIntElementsAttr
paddingAttribute(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> lowHigh) {
  auto type = mlir::RankedTensorType::get(
      {static_cast<int64_t>(lowHigh.size()) / 2, 2}, builder.getI64Type());
  return mlir::DenseIntElementsAttr::get(type, lowHigh);
}

/// The numbers of a padding attribute row by row; zeros if it is absent.
inline llvm::SmallVector<int64_t>
paddingNumbers(const std::optional<mlir::DenseIntElementsAttr> &padding,
               size_t rows) {
  if (!padding)
    return llvm::SmallVector<int64_t>(2 * rows, 0);
  return llvm::to_vector(padding->getValues<int64_t>());
}

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_WINDOWGEOMETRY_H
