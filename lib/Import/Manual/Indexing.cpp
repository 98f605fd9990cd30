// SPDX-License-Identifier: Apache-2.0
//
// Elements at computed positions. Leading dimensions are batching dimensions of
// gathers and scatters; slices at positions that differ between devices become
// these, others get zeros as further positions.

#include "Body.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

/// `starts`, which are the same everywhere, after zeros for the leading
/// dimensions.
void appendStarts(Body &body, ValueRange starts, size_t lead,
                  SmallVectorImpl<Value> &operands) {
  Value zero = scalar(body.builder, elementOf(starts.front()), 0.0);
  operands.append(lead, zero);
  llvm::append_range(operands, body.valuesOf(starts));
}

/// Positions that differ between devices as index vectors, in the last
/// dimension.
Value joinStarts(Body &body, ValueRange starts, const Axes &axes) {
  Sizes shape = body.sizesOf(axes);
  shape.push_back(1);
  SmallVector<Value> columns = llvm::map_to_vector(starts, [&](Value start) {
    return body.reshape(body.get(start, axes), shape);
  });
  if (columns.size() == 1)
    return columns.front();
  auto type = typeOf(columns.front());
  shape.back() = columns.size();
  return ConcatenateOp::create(body.builder, type.clone(shape), columns,
                               axes.size());
}

/// All dimensions of a value on one device, behind the leading ones.
Sizes dimensionsOf(Value local, size_t lead) {
  return raised(llvm::to_vector(llvm::seq<int64_t>(typeOf(local).getRank())),
                lead);
}

} // namespace

LogicalResult expandGather(Body &body, GatherOp op, const Axes &axes) {
  Value operands[] = {body.get(op.getOperand(), axes),
                      body.get(op.getStartIndices(), axes)};
  auto copy = cast<GatherOp>(body.rebuild(op, operands, axes));
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  size_t lead = axes.size();
  copy.setDimensionNumbersAttr(GatherDimensionNumbersAttr::get(
      op.getContext(), raised(numbers.getOffsetDims(), lead),
      raised(numbers.getCollapsedSliceDims(), lead),
      shifted(numbers.getOperandBatchingDims(), lead),
      shifted(numbers.getStartIndicesBatchingDims(), lead),
      raised(numbers.getStartIndexMap(), lead),
      numbers.getIndexVectorDim() + int64_t(lead)));
  Sizes sizes(lead, 1);
  llvm::append_range(sizes, op.getSliceSizes());
  copy.setSliceSizes(sizes);
  return success();
}

LogicalResult expandScatter(Body &body, ScatterOp op, const Axes &axes) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value local) { return body.get(local, axes); });
  auto copy = cast<ScatterOp>(body.rebuild(op, operands, axes));
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  size_t lead = axes.size();
  copy.setScatterDimensionNumbersAttr(ScatterDimensionNumbersAttr::get(
      op.getContext(), raised(numbers.getUpdateWindowDims(), lead),
      raised(numbers.getInsertedWindowDims(), lead),
      shifted(numbers.getInputBatchingDims(), lead),
      shifted(numbers.getScatterIndicesBatchingDims(), lead),
      raised(numbers.getScatterDimsToOperandDims(), lead),
      numbers.getIndexVectorDim() + int64_t(lead)));
  return success();
}

LogicalResult expandDynamicSlice(Body &body, DynamicSliceOp op,
                                 const Axes &axes) {
  size_t lead = axes.size();
  Value operand = body.get(op.getOperand(), axes);
  ValueRange starts = op.getStartIndices();
  if (starts.empty()) {
    body.set(op.getResult(), {operand, axes});
    return success();
  }
  if (body.axesOf(starts).empty()) {
    SmallVector<Value> operands{operand};
    appendStarts(body, starts, lead, operands);
    auto copy = cast<DynamicSliceOp>(body.rebuild(op, operands, axes));
    Sizes sizes = body.sizesOf(axes);
    llvm::append_range(sizes, op.getSliceSizes());
    copy.setSliceSizes(sizes);
    return success();
  }
  Value positions = joinStarts(body, starts, axes);
  Sizes dims = dimensionsOf(op.getOperand(), lead);
  auto numbers = GatherDimensionNumbersAttr::get(
      op.getContext(), /*offsetDims=*/dims, /*collapsedSliceDims=*/{},
      /*operandBatchingDims=*/shifted({}, lead),
      /*startIndicesBatchingDims=*/shifted({}, lead), /*startIndexMap=*/dims,
      /*indexVectorDim=*/lead);
  Value slice = GatherOp::create(
      body.builder, body.typeOf(op.getResult(), axes), operand, positions,
      numbers,
      body.builder.getDenseI64ArrayAttr(led(1, lead, op.getSliceSizes())),
      body.builder.getBoolAttr(false));
  body.set(op.getResult(), {slice, axes});
  return success();
}

/// An update is moved inside of the operand, where a scatter would skip it.
LogicalResult expandDynamicUpdate(Body &body, DynamicUpdateSliceOp op,
                                  const Axes &axes) {
  ImplicitLocOpBuilder &builder = body.builder;
  size_t lead = axes.size();
  Value operand = body.get(op.getOperand(), axes);
  Value update = body.get(op.getUpdate(), axes);
  ValueRange starts = op.getStartIndices();
  if (starts.empty()) {
    body.set(op.getResult(), {update, axes});
    return success();
  }
  if (body.axesOf(starts).empty()) {
    SmallVector<Value> operands{operand, update};
    appendStarts(body, starts, lead, operands);
    body.rebuild(op, operands, axes);
    return success();
  }
  TensorValue positions(builder, joinStarts(body, starts, axes));
  TensorValue first = positions.filled(0.0);
  SmallVector<Attribute> last;
  for (auto [whole, part] :
       llvm::zip_equal(shapeOf(op.getOperand()), shapeOf(op.getUpdate())))
    last.push_back(
        builder.getIntegerAttr(positions.elementType(), whole - part));
  auto vector =
      RankedTensorType::get({int64_t(last.size())}, positions.elementType());
  TensorValue bounds(
      builder,
      ConstantOp::create(builder, DenseElementsAttr::get(vector, last)));
  bounds = broadcastInDim(bounds, positions.shape(), {int64_t(lead)});
  Value inside = ClampOp::create(builder, first.value(), positions.value(),
                                 bounds.value());
  auto numbers = ScatterDimensionNumbersAttr::get(
      op.getContext(), /*updateWindowDims=*/dimensionsOf(op.getUpdate(), lead),
      /*insertedWindowDims=*/{}, /*inputBatchingDims=*/shifted({}, lead),
      /*scatterIndicesBatchingDims=*/shifted({}, lead),
      /*scatterDimsToOperandDims=*/dimensionsOf(op.getOperand(), lead),
      /*indexVectorDim=*/lead);
  auto scatter = ScatterOp::create(
      builder, TypeRange{operand.getType()}, ValueRange{operand}, inside,
      ValueRange{update}, numbers, builder.getBoolAttr(false),
      builder.getBoolAttr(true));
  buildReplacementBody(builder, scatter.getUpdateComputation(),
                       elementOf(op.getOperand()));
  body.set(op.getResult(), {scatter->getResult(0), axes});
  return success();
}

} // namespace shardsmith::manual
