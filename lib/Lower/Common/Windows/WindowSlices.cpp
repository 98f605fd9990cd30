// SPDX-License-Identifier: Apache-2.0

#include "WindowSlices.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {

SmallVector<Window>
readWindows(size_t rank, std::optional<ArrayRef<int64_t>> sizes,
            std::optional<ArrayRef<int64_t>> strides,
            std::optional<DenseIntElementsAttr> padding,
            std::optional<ArrayRef<int64_t>> baseDilations,
            std::optional<ArrayRef<int64_t>> windowDilations) {
  auto orOne = [](const auto &values, size_t d) -> int64_t {
    return values ? (*values)[d] : 1;
  };
  SmallVector<int64_t> lowHigh(2 * rank, 0);
  if (padding)
    lowHigh = llvm::to_vector(padding->getValues<int64_t>());
  SmallVector<Window> windows;
  for (size_t d = 0; d < rank; ++d)
    windows.push_back({.size = orOne(sizes, d),
                       .stride = orOne(strides, d),
                       .dilation = orOne(windowDilations, d),
                       .low = lowHigh[2 * d],
                       .high = lowHigh[2 * d + 1],
                       .baseDilation = orOne(baseDilations, d)});
  return windows;
}

Value padForWindows(OpBuilder &builder, Location location, Value tensor,
                    Value filling, ArrayRef<Window> windows) {
  if (llvm::none_of(windows, [](const Window &w) { return w.isPadded(); }))
    return tensor;
  SmallVector<int64_t> low, high, interior;
  for (const Window &window : windows) {
    low.push_back(window.low);
    high.push_back(window.high);
    interior.push_back(window.baseDilation - 1);
  }
  return stablehlo::PadOp::create(builder, location, tensor, filling, low, high,
                                  interior);
}

Value sliceAlong(OpBuilder &builder, Location location, Value tensor,
                 int64_t dimension, int64_t start, int64_t count,
                 int64_t stride) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape),
      strides(shape.size(), 1);
  starts[dimension] = start;
  limits[dimension] = start + (count - 1) * stride + 1;
  strides[dimension] = stride;
  if (start == 0 && stride == 1 && count == shape[dimension])
    return tensor;
  return stablehlo::SliceOp::create(builder, location, tensor, starts, limits,
                                    strides);
}

Value sliceAt(OpBuilder &builder, Location location, Value padded,
              ArrayRef<Window> windows, ArrayRef<int64_t> position,
              ArrayRef<int64_t> count) {
  SmallVector<int64_t> starts, limits, strides;
  for (auto [window, place, size] : llvm::zip_equal(windows, position, count)) {
    starts.push_back(place * window.dilation);
    limits.push_back(starts.back() + (size - 1) * window.stride + 1);
    strides.push_back(window.stride);
  }
  return stablehlo::SliceOp::create(builder, location, padded, starts, limits,
                                    strides);
}

bool advance(MutableArrayRef<int64_t> position, ArrayRef<Window> windows) {
  for (size_t d = windows.size(); d-- > 0;) {
    if (++position[d] < windows[d].size)
      return true;
    position[d] = 0;
  }
  return false;
}

} // namespace shardsmith::lower
