// SPDX-License-Identifier: Apache-2.0

#include "Indexing.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {

using Direction = ComparisonDirection;

IndexedWindows IndexedWindows::of(GatherOp op) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  return {.operandType = op.getOperand().getType(),
          .indices = op.getStartIndices(),
          .sliceSizes = llvm::to_vector(op.getSliceSizes()),
          .offsetDims = llvm::to_vector(numbers.getOffsetDims()),
          .collapsedDims = llvm::to_vector(numbers.getCollapsedSliceDims()),
          .operandBatchingDims =
              llvm::to_vector(numbers.getOperandBatchingDims()),
          .indicesBatchingDims =
              llvm::to_vector(numbers.getStartIndicesBatchingDims()),
          .startIndexMap = llvm::to_vector(numbers.getStartIndexMap()),
          .indexVectorDim = numbers.getIndexVectorDim(),
          .indicesAreSorted = op.getIndicesAreSorted(),
          .uniqueIndices = false};
}

IndexedWindows IndexedWindows::of(ScatterOp op) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  IndexedWindows windows{
      .operandType = cast<RankedTensorType>(op.getInputs().front().getType()),
      .indices = op.getScatterIndices(),
      .sliceSizes = {},
      .offsetDims = llvm::to_vector(numbers.getUpdateWindowDims()),
      .collapsedDims = llvm::to_vector(numbers.getInsertedWindowDims()),
      .operandBatchingDims = llvm::to_vector(numbers.getInputBatchingDims()),
      .indicesBatchingDims =
          llvm::to_vector(numbers.getScatterIndicesBatchingDims()),
      .startIndexMap = llvm::to_vector(numbers.getScatterDimsToOperandDims()),
      .indexVectorDim = numbers.getIndexVectorDim(),
      .indicesAreSorted = op.getIndicesAreSorted(),
      .uniqueIndices = op.getUniqueIndices()};

  auto updatesType = cast<RankedTensorType>(op.getUpdates().front().getType());
  auto windowDim = windows.offsetDims.begin();
  for (int64_t d = 0; d < windows.operandType.getRank(); ++d) {
    bool isPoint = llvm::is_contained(windows.collapsedDims, d) ||
                   llvm::is_contained(windows.operandBatchingDims, d);
    windows.sliceSizes.push_back(
        isPoint ? 1 : updatesType.getDimSize(*windowDim++));
  }
  return windows;
}

int64_t IndexedWindows::largestStart(size_t component) const {
  int64_t dimension = startIndexMap[component];
  return operandType.getDimSize(dimension) - sliceSizes[dimension];
}

TensorValue IndexedWindows::gather(TensorValue operand) const {
  ImplicitLocOpBuilder &builder = operand.builder();
  auto numbers = GatherDimensionNumbersAttr::get(
      builder.getContext(), offsetDims, collapsedDims, operandBatchingDims,
      indicesBatchingDims, startIndexMap, indexVectorDim);
  return {builder, GatherOp::create(builder, operand.value(), indices, numbers,
                                    builder.getDenseI64ArrayAttr(sliceSizes),
                                    builder.getBoolAttr(indicesAreSorted))};
}

ScatterOp IndexedWindows::scatter(TensorValue operand,
                                  TensorValue updates) const {
  ImplicitLocOpBuilder &builder = operand.builder();
  auto numbers = ScatterDimensionNumbersAttr::get(
      builder.getContext(), offsetDims, collapsedDims, operandBatchingDims,
      indicesBatchingDims, startIndexMap, indexVectorDim);
  return ScatterOp::create(builder, TypeRange{operand.type()},
                           ValueRange{operand.value()}, indices,
                           ValueRange{updates.value()}, numbers,
                           builder.getBoolAttr(indicesAreSorted),
                           builder.getBoolAttr(uniqueIndices));
}

template <typename OpTy>
TensorValue IndexedWindows::scatterWith(TensorValue operand,
                                        TensorValue updates) const {
  ImplicitLocOpBuilder &builder = operand.builder();
  ScatterOp op = scatter(operand, updates);
  buildScalarBody<OpTy>(builder, op.getUpdateComputation(),
                        operand.elementType());
  return {builder, op->getResult(0)};
}

TensorValue IndexedWindows::scatterAdd(TensorValue operand,
                                       TensorValue updates) const {
  return scatterWith<AddOp>(operand, updates);
}

TensorValue IndexedWindows::scatterMultiply(TensorValue operand,
                                            TensorValue updates) const {
  return scatterWith<MulOp>(operand, updates);
}

TensorValue IndexedWindows::scatterReplace(TensorValue operand,
                                           TensorValue updates) const {
  ImplicitLocOpBuilder &builder = operand.builder();
  ScatterOp op = scatter(operand, updates);
  buildReplacementBody(builder, op.getUpdateComputation(),
                       operand.elementType());
  return {builder, op->getResult(0)};
}

/// The largest start index of every component, in the shape of the indices.
TensorValue IndexedWindows::boundsLike(ImplicitLocOpBuilder &builder) const {
  auto type = cast<RankedTensorType>(indices.getType());
  if (startIndexMap.size() == 1)
    return filled(builder, type, static_cast<double>(largestStart(0)));
  SmallVector<Attribute> bounds;
  for (size_t component = 0; component < startIndexMap.size(); ++component)
    bounds.push_back(
        builder.getIntegerAttr(type.getElementType(), largestStart(component)));
  auto vectorType = RankedTensorType::get({static_cast<int64_t>(bounds.size())},
                                          type.getElementType());
  TensorValue vector(
      builder,
      ConstantOp::create(builder, DenseElementsAttr::get(vectorType, bounds)));
  return broadcastInDim(vector, type.getShape(), {indexVectorDim});
}

IndexedWindows IndexedWindows::clamped(ImplicitLocOpBuilder &builder) const {
  if (startIndexMap.empty())
    return *this;
  Type elementType = cast<RankedTensorType>(indices.getType()).getElementType();
  IndexedWindows inside = *this;
  Value low = scalar(builder, elementType, 0.0);
  if (startIndexMap.size() == 1) {
    Value high =
        scalar(builder, elementType, static_cast<double>(largestStart(0)));
    inside.indices = ClampOp::create(builder, low, indices, high);
    return inside;
  }
  TensorValue high = boundsLike(builder);
  inside.indices =
      ClampOp::create(builder, high.filled(0.0).value(), indices, high.value());
  return inside;
}

TensorValue IndexedWindows::isInside(ImplicitLocOpBuilder &builder,
                                     RankedTensorType updatesType) const {
  TensorValue positions(builder, indices);
  TensorValue isInRange = compare(positions, Direction::GE, 0.0);
  isInRange =
      isInRange & compare(positions, Direction::LE, boundsLike(builder));
  if (indexVectorDim < positions.rank())
    isInRange = all(isInRange, {indexVectorDim});
  SmallVector<int64_t> batchDims;
  for (int64_t d = 0; d < updatesType.getRank(); ++d)
    if (!llvm::is_contained(offsetDims, d))
      batchDims.push_back(d);
  return broadcastInDim(isInRange, updatesType.getShape(), batchDims);
}

} // namespace shardsmith
