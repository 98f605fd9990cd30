// SPDX-License-Identifier: Apache-2.0

#include "StridedView.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

// Splits or joins dimensions. Cuts both shapes where the products of their
// leading sizes agree; within a piece the old dimensions must be evenly
// spaced, and the new ones are then spaced alike.
bool reshapeView(StridedView &view, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides;
  size_t from = 0, to = 0;
  while (to < shape.size() || from < view.sizes.size()) {
    SmallVector<Dimension> piece;
    size_t firstTo = to;
    int64_t productFrom = 1, productTo = 1;
    auto takeFrom = [&] {
      productFrom *= view.sizes[from];
      piece.push_back({view.sizes[from], view.strides[from]});
      ++from;
    };
    auto takeTo = [&] { productTo *= shape[to++]; };
    if (from < view.sizes.size())
      takeFrom();
    if (to < shape.size())
      takeTo();
    while (productFrom != productTo) {
      if (productFrom < productTo)
        takeFrom();
      else
        takeTo();
    }
    std::optional<Dimension> joined = collapse(piece);
    if (!joined)
      return false;
    SmallVector<int64_t, 4> pieceStrides(to - firstTo);
    int64_t stride = joined->stride;
    for (size_t d = to; d-- > firstTo;) {
      pieceStrides[d - firstTo] = stride;
      stride *= shape[d];
    }
    llvm::append_range(strides, pieceStrides);
  }
  view.sizes.assign(shape.begin(), shape.end());
  view.strides = strides;
  return true;
}

} // namespace

std::optional<Dimension> collapse(ArrayRef<Dimension> dimensions) {
  Dimension all;
  for (const Dimension &dimension : llvm::reverse(dimensions)) {
    if (dimension.size == 1)
      continue;
    if (all.size == 1) {
      all = dimension;
      continue;
    }
    if (dimension.stride != all.stride * all.size)
      return std::nullopt;
    all.size *= dimension.size;
  }
  return all;
}

SmallVector<int64_t, 4> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

StridedView viewOf(Value value) {
  StridedView view;
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<stablehlo::TransposeOp>(op)) {
    StridedView source = viewOf(transpose.getOperand());
    view.base = source.base;
    view.offset = source.offset;
    for (int64_t from : transpose.getPermutation()) {
      view.sizes.push_back(source.sizes[from]);
      view.strides.push_back(source.strides[from]);
    }
    return view;
  }
  if (auto slice = dyn_cast_or_null<stablehlo::SliceOp>(op)) {
    view = viewOf(slice.getOperand());
    for (size_t d = 0; d < view.sizes.size(); ++d) {
      view.offset += slice.getStartIndices()[d] * view.strides[d];
      view.strides[d] *= slice.getStrides()[d];
      view.sizes[d] = shapeOf(value)[d];
    }
    return view;
  }
  if (auto reshape = dyn_cast_or_null<stablehlo::ReshapeOp>(op)) {
    view = viewOf(reshape.getOperand());
    if (reshapeView(view, shapeOf(value)))
      return view;
    view = StridedView();
  }
  view.base = value;
  view.sizes.assign(shapeOf(value).begin(), shapeOf(value).end());
  view.strides = rowMajorStrides(shapeOf(value));
  return view;
}

} // namespace shardsmith::lower
