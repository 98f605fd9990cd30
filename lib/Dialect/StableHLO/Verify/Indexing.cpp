// SPDX-License-Identifier: Apache-2.0
// Gather, and scatter as its mirror image.

#include "Bodies.h"
#include "Rules.h"

using namespace mlir;

namespace shardsmith::stablehlo {

namespace {

/// What gather and scatter have in common, in gather's words.
struct IndexingDims {
  /// Slice dimensions of size 1 that the result lacks.
  ArrayRef<int64_t> collapsed;
  StringRef collapsedName;
  ArrayRef<int64_t> operandBatching;
  StringRef operandBatchingName;
  ArrayRef<int64_t> indicesBatching;
  StringRef indicesBatchingName;
  /// Operand dimension of each component of an index vector.
  ArrayRef<int64_t> indexMap;
  StringRef indexMapName;
  int64_t indexVectorDim;
};

LogicalResult checkIndexing(const Reporter &report, ArrayRef<int64_t> operand,
                            ArrayRef<int64_t> indices,
                            const IndexingDims &dims) {
  int64_t operandRank = operand.size(), indicesRank = indices.size();
  if (failed(checkIncreasing(report, dims.collapsedName, dims.collapsed,
                             operandRank)) ||
      failed(checkIncreasing(report, dims.operandBatchingName,
                             dims.operandBatching, operandRank)) ||
      failed(checkUnique(report, dims.indicesBatchingName, dims.indicesBatching,
                         indicesRank)) ||
      failed(
          checkUnique(report, dims.indexMapName, dims.indexMap, operandRank)))
    return failure();
  for (int64_t dim : dims.operandBatching) {
    if (llvm::is_contained(dims.collapsed, dim))
      return report("has dimension ", dim, " in both ", dims.collapsedName,
                    " and ", dims.operandBatchingName);
    if (llvm::is_contained(dims.indexMap, dim))
      return report("has dimension ", dim, " in both ", dims.indexMapName,
                    " and ", dims.operandBatchingName);
  }
  if (dims.indexVectorDim < 0 || dims.indexVectorDim > indicesRank)
    return report("has index_vector_dim ", dims.indexVectorDim,
                  ", outside [0, ", indicesRank, "]");
  if (llvm::is_contained(dims.indicesBatching, dims.indexVectorDim))
    return report("has index_vector_dim ", dims.indexVectorDim, " also in ",
                  dims.indicesBatchingName);
  int64_t components =
      dims.indexVectorDim < indicesRank ? indices[dims.indexVectorDim] : 1;
  if (!agree(components, dims.indexMap.size()))
    return report("has index vectors of ", components, " components, but ",
                  dims.indexMapName, " has ", dims.indexMap.size());
  if (dims.operandBatching.size() != dims.indicesBatching.size())
    return report("needs as many ", dims.operandBatchingName, " as ",
                  dims.indicesBatchingName, ", found ",
                  toText(dims.operandBatching), " and ",
                  toText(dims.indicesBatching));
  for (auto [left, right] :
       llvm::zip(dims.operandBatching, dims.indicesBatching))
    if (!agree(operand[left], indices[right]))
      return report("batches dimension ", left, " of size ", operand[left],
                    " with index dimension ", right, " of size ",
                    indices[right]);
  return success();
}

/// Sizes of the index dimensions other than that of the index vector.
Shape batchSizes(ArrayRef<int64_t> indices, int64_t indexVectorDim) {
  Shape sizes;
  for (auto [dim, size] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dim) != indexVectorDim)
      sizes.push_back(size);
  return sizes;
}

} // namespace

FailureOr<Shape> inferGatherShape(const Reporter &report,
                                  RankedTensorType operand,
                                  RankedTensorType startIndices,
                                  GatherDimensionNumbersAttr numbers,
                                  ArrayRef<int64_t> sliceSizes) {
  ArrayRef<int64_t> collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  ArrayRef<int64_t> offsets = numbers.getOffsetDims();
  if (failed(checkIndexing(
          report, operand.getShape(), startIndices.getShape(),
          {collapsed, "collapsed_slice_dims", batching, "operand_batching_dims",
           numbers.getStartIndicesBatchingDims(), "start_indices_batching_dims",
           numbers.getStartIndexMap(), "start_index_map",
           numbers.getIndexVectorDim()})) ||
      failed(checkCount(report, "slice_sizes", sliceSizes.size(),
                        operand.getRank(), "operand dimension")))
    return failure();
  Shape offsetSizes;
  for (auto [dim, size] : llvm::enumerate(sliceSizes)) {
    int64_t whole = operand.getDimSize(dim);
    if (!ShapedType::isDynamic(size) &&
        (size < 0 || (!ShapedType::isDynamic(whole) && size > whole)))
      return report("slice_sizes has size ", size, " in dimension ", dim,
                    ", outside [0, ", whole, "]");
    bool isDropped =
        llvm::is_contained(collapsed, dim) || llvm::is_contained(batching, dim);
    if (!isDropped)
      offsetSizes.push_back(size);
    else if (!ShapedType::isDynamic(size) && size > 1)
      return report("slice_sizes has size ", size,
                    " in collapsed or batching dimension ", dim,
                    "; it must be 0 or 1");
  }
  Shape batch =
      batchSizes(startIndices.getShape(), numbers.getIndexVectorDim());
  int64_t rank = batch.size() + offsetSizes.size();
  if (failed(checkCount(report, "offset_dims", offsets.size(),
                        offsetSizes.size(), "kept slice dimension")) ||
      failed(checkIncreasing(report, "offset_dims", offsets, rank)))
    return failure();
  Shape shape;
  auto nextBatch = batch.begin(), nextOffset = offsetSizes.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(llvm::is_contained(offsets, dim) ? *nextOffset++
                                                     : *nextBatch++);
  return shape;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         OptionalLocation location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Reporter report = {location, getOperationName()};
  if (failed(checkKnown(report, "slice_sizes", adaptor.getSliceSizes())))
    return failure();
  FailureOr<Shape> shape =
      inferGatherShape(report, tensorType(adaptor.getOperand()),
                       tensorType(adaptor.getStartIndices()),
                       adaptor.getDimensionNumbers(), adaptor.getSliceSizes());
  if (failed(shape))
    return failure();
  types.push_back(
      RankedTensorType::get(*shape, elementType(adaptor.getOperand())));
  return success();
}

LogicalResult ScatterOp::verify() {
  Reporter report = reporterOf(*this);
  if (getInputs().empty())
    return report("needs at least one input");
  if (getResultTypes() != getInputs().getTypes() &&
      !areCompatibleTypes(getResultTypes(), getInputs().getTypes()))
    return report("needs results of the inputs' types, found ",
                  getResultTypes(), " for ", getInputs().getTypes());
  for (ValueRange group : {ValueRange(getInputs()), ValueRange(getUpdates())})
    for (Value value : group.drop_front())
      if (!agree(tensorType(value).getShape(),
                 tensorType(group.front()).getShape()))
        return report("needs inputs, and updates, of one shape, found ",
                      group.front().getType(), " and ", value.getType());
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  ArrayRef<int64_t> input = tensorType(getInputs().front()).getShape();
  ArrayRef<int64_t> indices = getScatterIndices().getType().getShape();
  ArrayRef<int64_t> updates = tensorType(getUpdates().front()).getShape();
  ArrayRef<int64_t> inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims();
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  if (failed(checkIndexing(
          report, input, indices,
          {inserted, "inserted_window_dims", batching, "input_batching_dims",
           numbers.getScatterIndicesBatchingDims(),
           "scatter_indices_batching_dims",
           numbers.getScatterDimsToOperandDims(),
           "scatter_dims_to_operand_dims", numbers.getIndexVectorDim()})) ||
      failed(checkIncreasing(report, "update_window_dims", windowDims,
                             updates.size())) ||
      failed(checkCount(report, "update_window_dims", windowDims.size(),
                        input.size() - inserted.size() - batching.size(),
                        "kept input dimension")))
    return failure();
  Shape batch = batchSizes(indices, numbers.getIndexVectorDim());
  if (updates.size() != batch.size() + windowDims.size())
    return report("needs updates of rank ", batch.size() + windowDims.size(),
                  ", found ", toText(updates));
  auto nextBatch = batch.begin();
  int64_t inputDim = 0;
  for (auto [dim, size] : llvm::enumerate(updates)) {
    if (!llvm::is_contained(windowDims, dim)) {
      if (!agree(size, *nextBatch))
        return report("has updates of size ", size, " in dimension ", dim,
                      ", but ", *nextBatch, " index vectors along it");
      ++nextBatch;
      continue;
    }
    while (llvm::is_contained(inserted, inputDim) ||
           llvm::is_contained(batching, inputDim))
      ++inputDim;
    int64_t whole = input[inputDim];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(whole) &&
        size > whole)
      return report("has updates of size ", size, " in dimension ", dim,
                    ", beyond input dimension ", inputDim, " of size ", whole);
    ++inputDim;
  }
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  return checkCombiner(reporterOf(*this), getUpdateComputation(),
                       "update_computation", getResultTypes());
}

} // namespace shardsmith::stablehlo
