// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_WINDOWS_H
#define SHARDSMITH_LIB_IMPORT_ONNX_WINDOWS_H

#include "Node.h"

namespace shardsmith::onnx {

/// How windows move over the spatial dimensions of a convolution or pool.
struct Windows {
  Sizes kernel, strides, dilations;
  /// Elements added before and after each dimension.
  Sizes low, high;
};

/// Reads `strides`, `dilations`, `pads` and `auto_pad` of a node for windows
/// of `kernel` over the spatial dimensions of `input` (all but the first two).
/// With `ceil_mode`, `high` grows such that a last window that begins in the
/// tensor or its padding is there.
Windows readWindows(const Node &node, Value input, Sizes kernel);

/// Positions of windows along each spatial dimension.
Sizes outputSizes(const Windows &windows, SizesRef spatial);

/// Pairs (low, high) as convolutions and windowed reductions take them.
mlir::DenseIntElementsAttr paddingOf(Builder &build, SizesRef low,
                                     SizesRef high);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_WINDOWS_H
