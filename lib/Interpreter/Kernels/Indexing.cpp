// SPDX-License-Identifier: Apache-2.0

#include "Indexing.h"

#include "Movement.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// Reads, for one position over the batch dimensions (those of the indices
/// without `index_vector_dim`), where a window starts in the operand.
class WindowStarts {
public:
  WindowStarts(const Tensor &indices, const IndexingDims &dims,
               int64_t operandRank)
      : indices(indices), dims(dims), operandRank(operandRank),
        strides(rowMajorStrides(indices.shape())) {
    const bool isImplicit = dims.indexVectorDim == indices.rank();
    vectorStride = isImplicit ? 0 : strides[dims.indexVectorDim];
  }

  Shape at(ArrayRef<int64_t> batchPosition) const {
    int64_t base = 0;
    Shape indicesPosition;
    for (int64_t dim = 0, next = 0; dim < indices.rank(); ++dim) {
      const bool isVector = dim == dims.indexVectorDim;
      indicesPosition.push_back(isVector ? 0 : batchPosition[next++]);
      base += indicesPosition.back() * strides[dim];
    }
    Shape starts(operandRank, 0);
    for (auto [component, dim] : enumerate(dims.indexMap))
      starts[dim] = indices.asInteger(base + static_cast<int64_t>(component) *
                                                 vectorStride);
    for (auto [operandDim, indicesDim] :
         zip_equal(dims.batchingDims, dims.indicesBatchingDims))
      starts[operandDim] = indicesPosition[indicesDim];
    return starts;
  }

private:
  const Tensor &indices;
  const IndexingDims &dims;
  int64_t operandRank;
  Shape strides;
  int64_t vectorStride;
};

/// Operand dimensions that windows extend over, in order.
Shape windowOperandDims(int64_t operandRank, const IndexingDims &dims) {
  Shape result;
  for (int64_t dim = 0; dim < operandRank; ++dim)
    if (!is_contained(dims.collapsedDims, dim) &&
        !is_contained(dims.batchingDims, dim))
      result.push_back(dim);
  return result;
}

/// The dimensions of a gather result or scatter update, told apart.
struct SplitDims {
  Shape batch, window;
  Shape batchShape, windowShape;
};

SplitDims splitDims(ArrayRef<int64_t> shape, const IndexingDims &dims) {
  SplitDims split;
  for (auto [dim, size] : enumerate(shape)) {
    const bool isWindow =
        is_contained(dims.windowDims, static_cast<int64_t>(dim));
    (isWindow ? split.window : split.batch).push_back(dim);
    (isWindow ? split.windowShape : split.batchShape).push_back(size);
  }
  return split;
}

int64_t offsetOf(ArrayRef<int64_t> position, ArrayRef<int64_t> dims,
                 ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [index, dim] : enumerate(dims))
    offset += position[index] * strides[dim];
  return offset;
}

} // namespace

Tensor gather(const Tensor &operand, const Tensor &indices,
              const IndexingDims &dims, ArrayRef<int64_t> sliceSizes,
              ArrayRef<int64_t> resultShape) {
  Tensor result = Tensor::uninitialized(operand.type(), resultShape);
  if (result.size() == 0)
    return result;
  const SplitDims split = splitDims(resultShape, dims);
  const Shape operandStrides = rowMajorStrides(operand.shape());
  const Shape resultStrides = rowMajorStrides(resultShape);
  const Shape operandDims = windowOperandDims(operand.rank(), dims);
  StridedBox source, target;
  for (auto [operandDim, resultDim] : zip_equal(operandDims, split.window)) {
    source.strides.push_back(operandStrides[operandDim]);
    target.strides.push_back(resultStrides[resultDim]);
  }

  const WindowStarts windows(indices, dims, operand.rank());
  Shape batch(split.batch.size(), 0);
  do {
    const Shape starts = windows.at(batch);
    source.offset = 0;
    for (int64_t dim = 0; dim < operand.rank(); ++dim)
      source.offset += std::clamp<int64_t>(starts[dim], 0,
                                           operand.dim(dim) - sliceSizes[dim]) *
                       operandStrides[dim];
    target.offset = offsetOf(batch, split.batch, resultStrides);
    moveBox(operand, source, result, target, split.windowShape);
  } while (advance(batch, split.batchShape));
  return result;
}

void visitScatter(ArrayRef<int64_t> operandShape, const Tensor &indices,
                  ArrayRef<int64_t> updateShape, const IndexingDims &dims,
                  llvm::function_ref<void(int64_t, int64_t)> visit) {
  if (elementCount(updateShape) == 0)
    return;
  const int64_t operandRank = operandShape.size();
  const SplitDims split = splitDims(updateShape, dims);
  const Shape operandStrides = rowMajorStrides(operandShape);
  const Shape updateStrides = rowMajorStrides(updateShape);
  const Shape operandDims = windowOperandDims(operandRank, dims);

  const WindowStarts windows(indices, dims, operandRank);
  Shape batch(split.batch.size(), 0);
  do {
    const Shape starts = windows.at(batch);
    const int64_t updateBase = offsetOf(batch, split.batch, updateStrides);
    Shape window(split.window.size(), 0);
    do {
      Shape position = starts;
      for (auto [index, dim] : enumerate(operandDims))
        position[dim] += window[index];
      const bool isInside =
          all_of(zip_equal(position, operandShape), [](auto pair) {
            auto [at, size] = pair;
            return at >= 0 && at < size;
          });
      if (isInside) {
        int64_t target = 0;
        for (auto [at, stride] : zip_equal(position, operandStrides))
          target += at * stride;
        visit(target,
              updateBase + offsetOf(window, split.window, updateStrides));
      }
    } while (advance(window, split.windowShape));
  } while (advance(batch, split.batchShape));
}

} // namespace shardsmith::inline interpreter
