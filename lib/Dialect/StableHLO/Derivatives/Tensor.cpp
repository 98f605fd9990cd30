// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardsmith {
namespace {

DenseElementsAttr scalarAttribute(Type elementType, double number) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat value(number);
    bool losesInformation = false;
    value.convert(floatType.getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInformation);
    return DenseElementsAttr::get(type, value);
  }
  unsigned width = cast<IntegerType>(elementType).getWidth();
  llvm::APInt value(width, static_cast<uint64_t>(static_cast<int64_t>(number)),
                    /*isSigned=*/true, /*implicitTrunc=*/true);
  return DenseElementsAttr::get(type, value);
}

SmallVector<int64_t> withoutDimensions(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> kept;
  for (auto [dimension, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dimension)))
      kept.push_back(size);
  return kept;
}

template <typename OpTy>
Tensor reduce(Tensor operand, ArrayRef<int64_t> dimensions, double neutral) {
  if (dimensions.empty())
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  Type elementType = operand.elementType();
  auto resultType = RankedTensorType::get(
      withoutDimensions(operand.shape(), dimensions), elementType);
  Value init = scalar(builder, elementType, neutral);
  auto op = stablehlo::ReduceOp::create(builder, TypeRange{resultType},
                                        ValueRange{operand.value()},
                                        ValueRange{init}, dimensions);
  buildScalarBody<OpTy>(builder, op.getBody(), elementType);
  return {builder, op->getResult(0)};
}

template <typename OpTy> Tensor unary(Tensor operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, OpTy::create(builder, operand.value())};
}

template <typename OpTy> Tensor binary(Tensor lhs, Tensor rhs) {
  ImplicitLocOpBuilder &builder = lhs.builder();
  return {builder, OpTy::create(builder, lhs.value(), rhs.value())};
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Tensor Tensor::filled(double number) const {
  return shardsmith::filled(*ops, type(), number);
}

Tensor scalar(ImplicitLocOpBuilder &builder, Type elementType, double number) {
  auto attribute = scalarAttribute(elementType, number);
  return {builder, stablehlo::ConstantOp::create(builder, attribute)};
}

Tensor filled(ImplicitLocOpBuilder &builder, RankedTensorType type,
              double number) {
  return broadcastScalar(scalar(builder, type.getElementType(), number),
                         type.getShape());
}

Tensor iota(ImplicitLocOpBuilder &builder, RankedTensorType type,
            int64_t dimension) {
  return {builder, stablehlo::IotaOp::create(builder, type, dimension)};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Tensor operator+(Tensor lhs, Tensor rhs) {
  return binary<stablehlo::AddOp>(lhs, rhs);
}
Tensor operator-(Tensor lhs, Tensor rhs) {
  return binary<stablehlo::SubtractOp>(lhs, rhs);
}
Tensor operator*(Tensor lhs, Tensor rhs) {
  return binary<stablehlo::MulOp>(lhs, rhs);
}
Tensor operator/(Tensor lhs, Tensor rhs) {
  return binary<stablehlo::DivOp>(lhs, rhs);
}
Tensor operator-(Tensor operand) { return unary<stablehlo::NegOp>(operand); }
Tensor operator&(Tensor lhs, Tensor rhs) {
  return binary<stablehlo::AndOp>(lhs, rhs);
}

Tensor exponential(Tensor operand) { return unary<stablehlo::ExpOp>(operand); }
Tensor logarithm(Tensor operand) { return unary<stablehlo::LogOp>(operand); }
Tensor squareRoot(Tensor operand) { return unary<stablehlo::SqrtOp>(operand); }
Tensor reciprocalSquareRoot(Tensor operand) {
  return unary<stablehlo::RsqrtOp>(operand);
}
Tensor sine(Tensor operand) { return unary<stablehlo::SineOp>(operand); }
Tensor cosine(Tensor operand) { return unary<stablehlo::CosineOp>(operand); }
Tensor sign(Tensor operand) { return unary<stablehlo::SignOp>(operand); }
Tensor floor(Tensor operand) { return unary<stablehlo::FloorOp>(operand); }
Tensor absolute(Tensor operand) { return unary<stablehlo::AbsOp>(operand); }
Tensor square(Tensor operand) { return operand * operand; }
Tensor power(Tensor base, Tensor exponent) {
  return binary<stablehlo::PowOp>(base, exponent);
}

Tensor compare(Tensor lhs, stablehlo::ComparisonDirection direction,
               Tensor rhs) {
  ImplicitLocOpBuilder &builder = lhs.builder();
  return {builder, stablehlo::CompareOp::create(builder, lhs.value(),
                                                rhs.value(), direction)};
}

Tensor select(Tensor predicate, Tensor onTrue, Tensor onFalse) {
  ImplicitLocOpBuilder &builder = predicate.builder();
  return {builder,
          stablehlo::SelectOp::create(builder, predicate.value(),
                                      onTrue.value(), onFalse.value())};
}

Tensor convert(Tensor operand, Type elementType) {
  if (operand.elementType() == elementType)
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  auto type = RankedTensorType::get(operand.shape(), elementType);
  return {builder,
          stablehlo::ConvertOp::create(builder, type, operand.value())};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Tensor reshape(Tensor operand, ArrayRef<int64_t> shape) {
  if (operand.shape() == shape)
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  auto type = RankedTensorType::get(shape, operand.elementType());
  return {builder,
          stablehlo::ReshapeOp::create(builder, type, operand.value())};
}

Tensor transpose(Tensor operand, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, stablehlo::TransposeOp::create(builder, operand.value(),
                                                  permutation)};
}

Tensor broadcastInDim(Tensor operand, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> dimensions) {
  bool isIdentity =
      operand.shape() == shape &&
      llvm::equal(dimensions, llvm::seq<int64_t>(0, dimensions.size()));
  if (isIdentity)
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  auto type = RankedTensorType::get(shape, operand.elementType());
  return {builder, stablehlo::BroadcastInDimOp::create(
                       builder, type, operand.value(), dimensions)};
}

Tensor broadcastScalar(Tensor operand, ArrayRef<int64_t> shape) {
  return broadcastInDim(operand, shape, {});
}

Tensor broadcastAlong(Tensor operand, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> reduced) {
  SmallVector<int64_t> kept;
  for (int64_t dimension : llvm::seq<int64_t>(0, shape.size()))
    if (!llvm::is_contained(reduced, dimension))
      kept.push_back(dimension);
  return broadcastInDim(operand, shape, kept);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor sum(Tensor operand, ArrayRef<int64_t> dimensions) {
  if (dimensions.empty())
    return operand;
  Type elementType = operand.elementType();
  auto floatType = dyn_cast<FloatType>(elementType);
  if (!floatType || floatType.getWidth() >= 32)
    return reduce<stablehlo::AddOp>(operand, dimensions, 0.0);
  Type wide = Float32Type::get(elementType.getContext());
  return convert(
      reduce<stablehlo::AddOp>(convert(operand, wide), dimensions, 0.0),
      elementType);
}

Tensor sumAll(Tensor operand) {
  return sum(operand, llvm::to_vector(llvm::seq<int64_t>(0, operand.rank())));
}

Tensor product(Tensor operand, ArrayRef<int64_t> dimensions) {
  return reduce<stablehlo::MulOp>(operand, dimensions, 1.0);
}

Tensor all(Tensor operand, ArrayRef<int64_t> dimensions) {
  return reduce<stablehlo::AndOp>(operand, dimensions, 1.0);
}

} // namespace shardsmith
