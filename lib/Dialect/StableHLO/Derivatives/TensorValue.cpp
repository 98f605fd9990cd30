// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

#include <complex>

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
  if (auto complexType = dyn_cast<ComplexType>(elementType)) {
    auto part = [&](double number) {
      return scalarAttribute(complexType.getElementType(), number)
          .getSplatValue<APFloat>();
    };
    return DenseElementsAttr::get(
        type, std::complex<APFloat>(part(number), part(0.0)));
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
TensorValue reduce(TensorValue operand, ArrayRef<int64_t> dimensions,
                   double neutral) {
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

template <typename OpTy> TensorValue unary(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, OpTy::create(builder, operand.value())};
}

template <typename OpTy> TensorValue binary(TensorValue lhs, TensorValue rhs) {
  ImplicitLocOpBuilder &builder = lhs.builder();
  return {builder, OpTy::create(builder, lhs.value(), rhs.value())};
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TensorValue TensorValue::filled(double number) const {
  return shardsmith::filled(*ops, type(), number);
}

TensorValue scalar(ImplicitLocOpBuilder &builder, Type elementType,
                   double number) {
  auto attribute = scalarAttribute(elementType, number);
  return {builder, stablehlo::ConstantOp::create(builder, attribute)};
}

TensorValue filled(ImplicitLocOpBuilder &builder, RankedTensorType type,
                   double number) {
  return broadcastScalar(scalar(builder, type.getElementType(), number),
                         type.getShape());
}

TensorValue iota(ImplicitLocOpBuilder &builder, RankedTensorType type,
                 int64_t dimension) {
  return {builder, stablehlo::IotaOp::create(builder, type, dimension)};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

TensorValue operator+(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::AddOp>(lhs, rhs);
}
TensorValue operator-(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::SubtractOp>(lhs, rhs);
}
TensorValue operator*(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::MulOp>(lhs, rhs);
}
TensorValue operator/(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::DivOp>(lhs, rhs);
}
TensorValue operator-(TensorValue operand) {
  return unary<stablehlo::NegOp>(operand);
}
TensorValue operator&(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::AndOp>(lhs, rhs);
}

TensorValue exponential(TensorValue operand) {
  return unary<stablehlo::ExpOp>(operand);
}
TensorValue logarithm(TensorValue operand) {
  return unary<stablehlo::LogOp>(operand);
}
TensorValue squareRoot(TensorValue operand) {
  return unary<stablehlo::SqrtOp>(operand);
}
TensorValue reciprocalSquareRoot(TensorValue operand) {
  return unary<stablehlo::RsqrtOp>(operand);
}
TensorValue sine(TensorValue operand) {
  return unary<stablehlo::SineOp>(operand);
}
TensorValue cosine(TensorValue operand) {
  return unary<stablehlo::CosineOp>(operand);
}
TensorValue sign(TensorValue operand) {
  return unary<stablehlo::SignOp>(operand);
}
TensorValue floor(TensorValue operand) {
  return unary<stablehlo::FloorOp>(operand);
}
TensorValue absolute(TensorValue operand) {
  return unary<stablehlo::AbsOp>(operand);
}
TensorValue square(TensorValue operand) { return operand * operand; }
TensorValue power(TensorValue base, TensorValue exponent) {
  return binary<stablehlo::PowOp>(base, exponent);
}

TensorValue maximum(TensorValue lhs, TensorValue rhs) {
  return binary<stablehlo::MaxOp>(lhs, rhs);
}

TensorValue compare(TensorValue lhs, stablehlo::ComparisonDirection direction,
                    TensorValue rhs) {
  ImplicitLocOpBuilder &builder = lhs.builder();
  return {builder, stablehlo::CompareOp::create(builder, lhs.value(),
                                                rhs.value(), direction)};
}

TensorValue select(TensorValue predicate, TensorValue onTrue,
                   TensorValue onFalse) {
  ImplicitLocOpBuilder &builder = predicate.builder();
  return {builder,
          stablehlo::SelectOp::create(builder, predicate.value(),
                                      onTrue.value(), onFalse.value())};
}

TensorValue convert(TensorValue operand, Type elementType) {
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

TensorValue reshape(TensorValue operand, ArrayRef<int64_t> shape) {
  if (operand.shape() == shape)
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  auto type = RankedTensorType::get(shape, operand.elementType());
  return {builder,
          stablehlo::ReshapeOp::create(builder, type, operand.value())};
}

TensorValue transpose(TensorValue operand, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return operand;
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, stablehlo::TransposeOp::create(builder, operand.value(),
                                                  permutation)};
}

TensorValue broadcastInDim(TensorValue operand, ArrayRef<int64_t> shape,
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

TensorValue broadcastScalar(TensorValue operand, ArrayRef<int64_t> shape) {
  return broadcastInDim(operand, shape, {});
}

TensorValue broadcastAlong(TensorValue operand, ArrayRef<int64_t> shape,
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

TensorValue sum(TensorValue operand, ArrayRef<int64_t> dimensions) {
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

TensorValue sumAll(TensorValue operand) {
  return sum(operand, llvm::to_vector(llvm::seq<int64_t>(0, operand.rank())));
}

TensorValue product(TensorValue operand, ArrayRef<int64_t> dimensions) {
  return reduce<stablehlo::MulOp>(operand, dimensions, 1.0);
}

TensorValue largestOf(TensorValue operand) {
  return reduce<stablehlo::MaxOp>(
      operand, llvm::to_vector(llvm::seq<int64_t>(0, operand.rank())), 0.0);
}

TensorValue all(TensorValue operand, ArrayRef<int64_t> dimensions) {
  return reduce<stablehlo::AndOp>(operand, dimensions, 1.0);
}

void buildReplacementBody(ImplicitLocOpBuilder &builder, Region &region,
                          Type elementType) {
  OpBuilder::InsertionGuard guard(builder);
  auto type = RankedTensorType::get({}, elementType);
  Block *body = builder.createBlock(&region, region.end(), {type, type},
                                    {builder.getLoc(), builder.getLoc()});
  stablehlo::ReturnOp::create(builder, body->getArgument(1));
}

} // namespace shardsmith
