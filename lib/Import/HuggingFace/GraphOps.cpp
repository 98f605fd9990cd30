// SPDX-License-Identifier: Apache-2.0

#include "GraphOps.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "llvm/ADT/Sequence.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace shardsmith::huggingface {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TensorValue product(TensorValue lhs, TensorValue rhs, const ProductDims &dims) {
  ImplicitLocOpBuilder &builder = lhs.builder();
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      builder.getContext(), dims.lhsBatch, dims.rhsBatch, dims.lhsContracted,
      dims.rhsContracted);
  return {builder, stablehlo::DotGeneralOp::create(builder, lhs.value(),
                                                   rhs.value(), numbers)};
}

TensorValue groupedProduct(TensorValue rows, TensorValue matrices,
                           TensorValue groupSizes) {
  ImplicitLocOpBuilder &builder = rows.builder();
  auto numbers = chlo::RaggedDotDimensionNumbersAttr::get(
      builder.getContext(), /*lhsBatchingDimensions=*/{},
      /*rhsBatchingDimensions=*/{}, /*lhsContractingDimensions=*/{1},
      /*rhsContractingDimensions=*/{1}, /*lhsRaggedDimensions=*/{0},
      /*rhsGroupDimensions=*/{0});
  auto type = RankedTensorType::get({rows.shape()[0], matrices.shape()[2]},
                                    rows.elementType());
  return {builder, chlo::RaggedDotOp::create(
                       builder, type, rows.value(), matrices.value(),
                       groupSizes.value(), numbers, ArrayAttr())};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

TensorValue hyperbolicTangent(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, stablehlo::TanhOp::create(builder, operand.value())};
}

TensorValue logistic(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, stablehlo::LogisticOp::create(builder, operand.value())};
}

TensorValue errorFunction(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, chlo::ErfOp::create(builder, operand.value())};
}

TensorValue activate(TensorValue x, Activation activation) {
  switch (activation) {
  case Activation::Relu:
    return maximum(x, x.filled(0.0));
  case Activation::Gelu: {
    TensorValue half = 0.5 * x;
    return half * (1.0 + errorFunction(x * (1.0 / std::numbers::sqrt2)));
  }
  case Activation::GeluTanh: {
    const double factor =
        std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / π)
    TensorValue inner = factor * (x + 0.044715 * (x * x * x));
    TensorValue half = 0.5 * x;
    return half * (1.0 + hyperbolicTangent(inner));
  }
  case Activation::Silu:
    return x * logistic(x);
  case Activation::Tanh:
    return hyperbolicTangent(x);
  }
  llvm_unreachable("all activations are listed");
}

//===----------------------------------------------------------------------===//
// Along the last dimension
//===----------------------------------------------------------------------===//

TensorValue largest(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  auto type =
      RankedTensorType::get(operand.shape().drop_back(), operand.elementType());
  Value least = scalar(builder, operand.elementType(),
                       -std::numeric_limits<double>::infinity());
  auto op = stablehlo::ReduceOp::create(
      builder, TypeRange{type}, ValueRange{operand.value()}, ValueRange{least},
      ArrayRef<int64_t>{operand.rank() - 1});
  buildScalarBody<stablehlo::MaxOp>(builder, op.getBody(),
                                    operand.elementType());
  return {builder, op->getResult(0)};
}

TensorValue sumOfLast(TensorValue operand) {
  return sum(operand, {operand.rank() - 1});
}

TensorValue repeatLast(TensorValue operand, int64_t size) {
  SmallVector<int64_t> shape(operand.shape());
  shape.push_back(size);
  return broadcastAlong(operand, shape, {operand.rank()});
}

TensorValue softmax(TensorValue x) {
  int64_t size = x.shape().back();
  TensorValue powers = exponential(x - repeatLast(largest(x), size));
  return powers / repeatLast(sumOfLast(powers), size);
}

//===----------------------------------------------------------------------===//
// Parts and rows
//===----------------------------------------------------------------------===//

TensorValue slice(TensorValue operand, int64_t dimension, int64_t start,
                  int64_t limit) {
  if (start == 0 && limit == operand.shape()[dimension])
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  SmallVector<int64_t> starts(operand.rank(), 0), strides(operand.rank(), 1);
  SmallVector<int64_t> limits(operand.shape());
  starts[dimension] = start;
  limits[dimension] = limit;
  return {builder, stablehlo::SliceOp::create(builder, operand.value(), starts,
                                              limits, strides)};
}

TensorValue concatenate(ArrayRef<TensorValue> operands, int64_t dimension) {
  ImplicitLocOpBuilder &builder = operands.front().builder();
  SmallVector<Value> values(operands.begin(), operands.end());
  return {builder,
          stablehlo::ConcatenateOp::create(builder, values, dimension)};
}

/// `indices` with a last dimension of one: positions as gathers want them.
static TensorValue asPositions(TensorValue indices) {
  SmallVector<int64_t> shape(indices.shape());
  shape.push_back(1);
  return reshape(indices, shape);
}

TensorValue lookUp(TensorValue table, TensorValue indices) {
  ImplicitLocOpBuilder &builder = table.builder();
  auto rowDims = llvm::to_vector(
      llvm::seq<int64_t>(indices.rank(), indices.rank() + table.rank() - 1));
  SmallVector<int64_t> sizes(table.shape());
  sizes[0] = 1;
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      builder.getContext(), /*offsetDims=*/rowDims, /*collapsedSliceDims=*/{0},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{0}, /*indexVectorDim=*/indices.rank());
  return {builder, stablehlo::GatherOp::create(
                       builder, table.value(), asPositions(indices).value(),
                       numbers, sizes, /*indices_are_sorted=*/false)};
}

TensorValue addRows(TensorValue rows, TensorValue indices, int64_t count) {
  ImplicitLocOpBuilder &builder = rows.builder();
  auto type =
      RankedTensorType::get({count, rows.shape()[1]}, rows.elementType());
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      builder.getContext(), /*updateWindowDims=*/{1},
      /*insertedWindowDims=*/{0}, /*inputBatchingDims=*/{},
      /*scatterIndicesBatchingDims=*/{}, /*scatterDimsToOperandDims=*/{0},
      /*indexVectorDim=*/1);
  Value zeros = filled(builder, type, 0.0);
  auto op = stablehlo::ScatterOp::create(
      builder, TypeRange{type}, ValueRange{zeros}, asPositions(indices).value(),
      ValueRange{rows.value()}, numbers,
      /*indices_are_sorted=*/builder.getBoolAttr(false),
      /*unique_indices=*/builder.getBoolAttr(false));
  buildScalarBody<stablehlo::AddOp>(builder, op.getUpdateComputation(),
                                    rows.elementType());
  return {builder, op->getResult(0)};
}

Largest topK(TensorValue operand, int64_t k) {
  ImplicitLocOpBuilder &builder = operand.builder();
  auto op = chlo::TopKOp::create(builder, operand.value(), k);
  return {{builder, op.getValues()}, {builder, op.getIndices()}};
}

TensorValue constantVector(ImplicitLocOpBuilder &builder,
                           ArrayRef<float> numbers) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    builder.getF32Type());
  return {builder, stablehlo::ConstantOp::create(
                       builder, DenseElementsAttr::get(type, numbers))};
}

} // namespace shardsmith::huggingface
