// SPDX-License-Identifier: Apache-2.0
//
// A window that slides over a tensor, as slices of it: one position of the
// window is a strided slice with one element for every window.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_WINDOWSLICES_H
#define SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_WINDOWSLICES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace shardsmith::lower {

/// A window along one dimension.
struct Window {
  int64_t size = 1, stride = 1, dilation = 1;
  int64_t low = 0, high = 0, baseDilation = 1;

  bool isTrivial() const { return size == 1 && stride == 1; }
  bool isPadded() const { return low != 0 || high != 0 || baseDilation != 1; }
};

/// The windows of an op; absent attributes mean windows of one element.
llvm::SmallVector<Window>
readWindows(size_t rank, std::optional<llvm::ArrayRef<int64_t>> sizes,
            std::optional<llvm::ArrayRef<int64_t>> strides,
            std::optional<mlir::DenseIntElementsAttr> padding,
            std::optional<llvm::ArrayRef<int64_t>> baseDilations = {},
            std::optional<llvm::ArrayRef<int64_t>> windowDilations = {});

/// `tensor` with the padding of the windows, filled with a scalar; the same
/// tensor if there is none.
mlir::Value padForWindows(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value tensor, mlir::Value filling,
                          llvm::ArrayRef<Window> windows);

/// `count` elements along one dimension, from `start` on, `stride` apart.
mlir::Value sliceAlong(mlir::OpBuilder &builder, mlir::Location location,
                       mlir::Value tensor, int64_t dimension, int64_t start,
                       int64_t count, int64_t stride);

/// One position of every window of a padded tensor.
mlir::Value sliceAt(mlir::OpBuilder &builder, mlir::Location location,
                    mlir::Value padded, llvm::ArrayRef<Window> windows,
                    llvm::ArrayRef<int64_t> position,
                    llvm::ArrayRef<int64_t> count);

/// Goes to the next position of the window, the last dimension fastest; false
/// at the end.
bool advance(llvm::MutableArrayRef<int64_t> position,
             llvm::ArrayRef<Window> windows);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_WINDOWSLICES_H
