// SPDX-License-Identifier: Apache-2.0
// Builders that derive the result type from the operands.

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A builder cannot return failure: the caller broke its contract.
Shape require(const FailureOr<Shape> &shape, StringRef op) {
  if (failed(shape))
    llvm::report_fatal_error("operands do not fit each other in a builder of " +
                             op);
  return *shape;
}

} // namespace

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       ElementsAttr value) {
  build(builder, state, value.getType(), value);
}

void ConvertOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      Type elementType) {
  build(builder, state, TypeRange(tensorType(operand).clone(elementType)),
        operand);
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      ArrayRef<int64_t> shape) {
  build(builder, state,
        TypeRange(
            RankedTensorType::get(shape, tensorType(operand).getElementType())),
        operand);
}

void BroadcastInDimOp::build(OpBuilder &builder, OperationState &state,
                             Value operand, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> broadcastDimensions) {
  build(builder, state,
        RankedTensorType::get(shape, tensorType(operand).getElementType()),
        operand, broadcastDimensions);
}

void DotGeneralOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                         Value rhs, DotDimensionNumbersAttr dimensionNumbers,
                         ArrayAttr precisionConfig, Type elementType) {
  Shape shape = require(inferDotGeneralShape(state.location, tensorType(lhs),
                                             tensorType(rhs), dimensionNumbers),
                        "stablehlo.dot_general");
  if (!elementType)
    elementType = tensorType(lhs).getElementType();
  build(builder, state, RankedTensorType::get(shape, elementType), lhs, rhs,
        dimensionNumbers, precisionConfig, DotAlgorithmAttr());
}

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange inputs, ValueRange initValues,
                     ArrayRef<int64_t> dimensions) {
  SmallVector<Type> types;
  for (auto [input, init] : llvm::zip_equal(inputs, initValues)) {
    Shape shape =
        require(inferReduceShape(state.location, tensorType(input).getShape(),
                                 dimensions),
                "stablehlo.reduce");
    types.push_back(
        RankedTensorType::get(shape, tensorType(init).getElementType()));
  }
  build(builder, state, types, inputs, initValues, dimensions);
}
