// SPDX-License-Identifier: Apache-2.0
// Derivatives of ops that cut out or put together parts of tensors.

#include "Families.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

TensorValue pad(TensorValue operand, ArrayRef<int64_t> low,
                ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  ImplicitLocOpBuilder &builder = operand.builder();
  TensorValue zero = scalar(builder, operand.elementType(), 0.0);
  return {builder, PadOp::create(builder, operand.value(), zero.value(), low,
                                 high, interior)};
}

bool isAllZero(ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t number) { return number == 0; });
}

/// The skipped elements get zero.
///
///     x  . a . b . .    start 1, stride 2, limit 5
///     y    a   b
///     dx 0 a 0 b 0 0    low 1, interior 1, high 2
LogicalResult deriveSlice(SliceOp op, TensorValue g, Cotangents &cotangents) {
  ArrayRef<int64_t> operandShape = op.getOperand().getType().getShape();
  SmallVector<int64_t> high, interior;
  for (auto [operandSize, size, start, stride] : llvm::zip_equal(
           operandShape, g.shape(), op.getStartIndices(), op.getStrides())) {
    int64_t covered = size == 0 ? 0 : (size - 1) * stride + 1;
    high.push_back(operandSize - start - covered);
    interior.push_back(stride - 1);
  }
  cotangents[0] = pad(g, op.getStartIndices(), high, interior);
  return success();
}

/// The operand's elements are cut out of the cotangent again; the padding
/// value collects what is left.
LogicalResult derivePad(PadOp op, TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  ArrayRef<int64_t> interior = op.getInteriorPadding();
  SmallVector<int64_t> low, high, start, limit, stride;
  for (auto [before, after, between, size] :
       llvm::zip_equal(op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                       interior, op.getOperand().getType().getShape())) {
    low.push_back(-before);
    high.push_back(-after);
    start.push_back(0);
    limit.push_back(size == 0 ? 0 : (size - 1) * (between + 1) + 1);
    stride.push_back(between + 1);
  }
  SmallVector<int64_t> none(g.rank(), 0);
  TensorValue inner =
      isAllZero(low) && isAllZero(high) ? g : pad(g, low, high, none);
  if (!isAllZero(interior))
    inner = {builder,
             SliceOp::create(builder, inner.value(), start, limit, stride)};
  cotangents[0] = inner;
  TensorValue total = sumAll(g);
  cotangents[1] = total - sumAll(inner);
  return success();
}

LogicalResult deriveConcatenate(ConcatenateOp op, TensorValue g,
                                Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  int64_t dimension = op.getDimension();
  SmallVector<int64_t> start(g.rank(), 0), limit(g.shape());
  SmallVector<int64_t> stride(g.rank(), 1);
  int64_t position = 0;
  for (auto [input, cotangent] : llvm::zip_equal(op.getInputs(), cotangents)) {
    auto type = cast<RankedTensorType>(input.getType());
    start[dimension] = position;
    position += type.getDimSize(dimension);
    limit[dimension] = position;
    cotangent = SliceOp::create(builder, g.value(), start, limit, stride);
  }
  return success();
}

LogicalResult deriveDynamicSlice(DynamicSliceOp op, TensorValue g,
                                 Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue zero = filled(builder, op.getOperand().getType(), 0.0);
  cotangents[0] = DynamicUpdateSliceOp::create(builder, zero.value(), g.value(),
                                               op.getStartIndices());
  return success();
}

LogicalResult deriveDynamicUpdateSlice(DynamicUpdateSliceOp op, TensorValue g,
                                       Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  RankedTensorType updateType = op.getUpdate().getType();
  TensorValue zero = filled(builder, updateType, 0.0);
  cotangents[0] = DynamicUpdateSliceOp::create(builder, g.value(), zero.value(),
                                               op.getStartIndices());
  cotangents[1] = DynamicSliceOp::create(
      builder, g.value(), op.getStartIndices(), updateType.getShape());
  return success();
}

} // namespace

void attachSliceDerivatives(MLIRContext *context) {
  attachDerivative<SliceOp>(context,
                            [](auto op, TensorValue g, Cotangents &dx) {
                              return deriveSlice(op, g, dx);
                            });
  attachDerivative<PadOp>(context, [](auto op, TensorValue g, Cotangents &dx) {
    return derivePad(op, g, dx);
  });
  attachDerivative<ConcatenateOp>(context,
                                  [](auto op, TensorValue g, Cotangents &dx) {
                                    return deriveConcatenate(op, g, dx);
                                  });
  attachDerivative<DynamicSliceOp>(context,
                                   [](auto op, TensorValue g, Cotangents &dx) {
                                     return deriveDynamicSlice(op, g, dx);
                                   });
  attachDerivative<DynamicUpdateSliceOp>(
      context, [](auto op, TensorValue g, Cotangents &dx) {
        return deriveDynamicUpdateSlice(op, g, dx);
      });
}

} // namespace shardsmith
