// SPDX-License-Identifier: Apache-2.0
//
// Each group is an ordinary contraction of a slice of lhs. Where the ragged
// dimension of lhs is decides what becomes of the results:
//
//   free          [m, k] [g, k, n]   rows of the group, side by side
//   contracting   [m, k] [k, n]      one matrix per group, stacked
//   batching      [b, m, k] [b, k, n]  as free, along the batch

#include "RaggedContraction.h"

#include "Contraction.h"
#include "Movement.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

Tensor sliceOf(const Tensor &a, int64_t dim, int64_t start, int64_t limit) {
  Shape starts(a.rank(), 0), limits(a.shape()), ones(a.rank(), 1);
  starts[dim] = start;
  limits[dim] = limit;
  return slice(a, starts, limits, ones);
}

/// One entry of `dim`, without that dimension.
Tensor entryOf(const Tensor &a, int64_t dim, int64_t index) {
  Shape shape(a.shape());
  shape.erase(shape.begin() + dim);
  return sliceOf(a, dim, index, index + 1).reshaped(shape);
}

Shape withoutDim(ArrayRef<int64_t> dims, int64_t removed) {
  Shape result;
  for (int64_t dim : dims)
    result.push_back(removed >= 0 && dim > removed ? dim - 1 : dim);
  return result;
}

/// Where a free dimension of lhs ends up in the result of a contraction.
int64_t resultDimOfFree(const RaggedDims &dims) {
  int64_t position = dims.lhsBatch.size();
  for (int64_t dim = 0; dim < dims.lhsRagged; ++dim)
    position += !is_contained(dims.lhsBatch, dim) &&
                !is_contained(dims.lhsContracting, dim);
  return position;
}

} // namespace

Tensor contractRagged(const Tensor &lhs, const Tensor &rhs,
                      const Tensor &groupSizes, const RaggedDims &dims,
                      ElementType resultType, ArrayRef<int64_t> resultShape) {
  const auto *contracting = llvm::find(dims.lhsContracting, dims.lhsRagged);
  const auto *batch = llvm::find(dims.lhsBatch, dims.lhsRagged);
  const bool isContracting = contracting != dims.lhsContracting.end();
  const bool isBatch = batch != dims.lhsBatch.end();
  // The dimension of rhs that runs along the ragged one, if any.
  int64_t rhsRagged = -1;
  if (isContracting)
    rhsRagged = dims.rhsContracting[contracting - dims.lhsContracting.begin()];
  if (isBatch)
    rhsRagged = dims.rhsBatch[batch - dims.lhsBatch.begin()];
  const int64_t resultRagged =
      isBatch ? batch - dims.lhsBatch.begin() : resultDimOfFree(dims);

  const Shape rhsBatch = withoutDim(dims.rhsBatch, dims.rhsGroup);
  const Shape rhsContracting = withoutDim(dims.rhsContracting, dims.rhsGroup);
  const ContractionDims perGroup{dims.lhsBatch, rhsBatch, dims.lhsContracting,
                                 rhsContracting};
  Tensor result = Tensor::zeros(resultType, resultShape).denseCopy();
  const Shape resultStrides = rowMajorStrides(resultShape);
  int64_t start = 0;
  for (int64_t group = 0; group < groupSizes.size(); ++group) {
    const int64_t limit = std::clamp<int64_t>(
        start + groupSizes.asInteger(group), start, lhs.dim(dims.lhsRagged));
    Tensor right =
        dims.rhsGroup >= 0 ? entryOf(rhs, dims.rhsGroup, group) : rhs;
    if (rhsRagged >= 0)
      right = sliceOf(right, withoutDim(rhsRagged, dims.rhsGroup).front(),
                      start, limit);
    const Tensor part = contract(sliceOf(lhs, dims.lhsRagged, start, limit),
                                 right, perGroup, resultType);
    if (isContracting)
      writeBox(result,
               {group * resultStrides[0],
                Shape(ArrayRef<int64_t>(resultStrides).drop_front())},
               part);
    else
      writeBox(result, {start * resultStrides[resultRagged], resultStrides},
               part);
    start = limit;
  }
  return result;
}

} // namespace shardsmith::inline interpreter
