// SPDX-License-Identifier: Apache-2.0

#include "Quantize.h"

#include "shardsmith/Dialect/Smith/QuantizeOp.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include <list>

using namespace mlir;

namespace shardsmith {
namespace {

/// Sizes of products of eight bits are multiples of it: cuBLASLt, "Using the
/// FP8 data types", asks for 16 bytes.
constexpr int64_t sizeMultiple = 16;

bool isHalf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isBF16() || element.isF16();
}

bool isProductOfLayer(stablehlo::DotGeneralOp dot) {
  return isHalf(dot.getLhs()) && isHalf(dot.getRhs()) &&
         stablehlo::hasSizesOf(dot, sizeMultiple);
}

/// A tensor as its elements of eight bits and the scale that they are
/// multiplied by.
struct Quantized {
  TensorValue elements, scale;
};

/// The least power of two with which no element is beyond the type's largest
/// number, 1.75 · 2^k in both types: the bits of an f32 that is the largest
/// magnitude ÷ 1.75, rounded up to a power, are its exponent alone, one more
/// where its digits are above those of 1.75.
TensorValue powerAbove(TensorValue largest) {
  ImplicitLocOpBuilder &builder = largest.builder();
  auto bitsType = RankedTensorType::get({}, builder.getI32Type());
  TensorValue bits(
      builder, stablehlo::BitcastConvertOp::create(builder, bitsType, largest));
  constexpr double digitsAbove = 0x1FFFFF, exponent = 0x7F800000;
  TensorValue power = (bits + digitsAbove) & bits.filled(exponent);
  return {builder,
          stablehlo::BitcastConvertOp::create(builder, largest.type(), power)};
}

Quantized quantize(TensorValue value, FloatType narrow) {
  Type single = value.builder().getF32Type();
  TensorValue largest = convert(largestOf(absolute(value)), single);
  // So that a tensor of zeros has a scale, too.
  TensorValue power = powerAbove(maximum(largest, largest.filled(0x1p-100)));
  double step =
      APFloat::getLargest(narrow.getFloatSemantics()).convertToDouble() / 1.75;
  TensorValue scale = power * (1 / step);
  TensorValue inverse = power.filled(step) / power;
  TensorValue scaled =
      convert(value, single) * broadcastScalar(inverse, value.shape());
  return {convert(scaled, narrow), scale};
}

class Expansion {
public:
  explicit Expansion(func::FuncOp function) : function(function) {}

  bool run() {
    SmallVector<smith::QuantizeOp> all;
    function.walk([&](smith::QuantizeOp op) { all.push_back(op); });
    for (smith::QuantizeOp op : all)
      if (op.getValuesAttr())
        expand(op);
    SmallVector<stablehlo::DotGeneralOp> products;
    function.walk(
        [&](stablehlo::DotGeneralOp dot) { products.push_back(dot); });
    for (stablehlo::DotGeneralOp dot : products)
      multiply(dot);
    for (smith::QuantizeOp op : all)
      replace(op);
    return !all.empty();
  }

private:
  void expand(smith::QuantizeOp op) {
    builders.emplace_back(op.getLoc(), op);
    known.insert({op.getResult(), quantize({builders.back(), op.getInput()},
                                           cast<FloatType>(*op.getValues()))});
  }

  void multiply(stablehlo::DotGeneralOp dot) {
    auto left = known.find(dot.getLhs()), right = known.find(dot.getRhs());
    if (left == known.end() || right == known.end())
      return;
    ImplicitLocOpBuilder builder(dot.getLoc(), dot);
    auto narrow = cast<stablehlo::DotGeneralOp>(builder.clone(*dot));
    narrow.getLhsMutable().assign(left->second.elements);
    narrow.getRhsMutable().assign(right->second.elements);
    narrow.getResult().setType(dot.getType().clone(builder.getF32Type()));
    TensorValue product(builder, narrow);
    TensorValue scale = TensorValue(builder, left->second.scale) *
                        TensorValue(builder, right->second.scale);
    TensorValue scaled = product * broadcastScalar(scale, product.shape());
    dot.replaceAllUsesWith(
        convert(scaled, dot.getType().getElementType()).value());
    dot.erase();
  }

  /// Whoever else reads it has the rounded values, in the type that they had.
  void replace(smith::QuantizeOp op) {
    Value value = op.getInput();
    if (auto rounded = known.find(op.getResult());
        rounded != known.end() && !op.use_empty()) {
      ImplicitLocOpBuilder builder(op.getLoc(), op);
      TensorValue elements(builder, rounded->second.elements);
      TensorValue scale(builder, rounded->second.scale);
      TensorValue wide = convert(elements, builder.getF32Type());
      value = convert(wide * broadcastScalar(scale, wide.shape()),
                      getElementTypeOrSelf(value.getType()));
    }
    op.replaceAllUsesWith(value);
    op.erase();
  }

  func::FuncOp function;
  std::list<ImplicitLocOpBuilder> builders;
  DenseMap<Value, Quantized> known;
};

} // namespace

bool quantizeProducts(func::FuncOp forward) {
  Builder types(forward.getContext());
  auto values = TypeAttr::get(types.getType<Float8E4M3FNType>());
  auto gradients = TypeAttr::get(types.getType<Float8E5M2Type>());
  bool isAny = false;
  forward.walk([&](stablehlo::DotGeneralOp dot) {
    if (!isProductOfLayer(dot))
      return;
    isAny = true;
    ImplicitLocOpBuilder builder(dot.getLoc(), dot);
    for (OpOperand &operand : dot->getOpOperands())
      operand.set(smith::QuantizeOp::create(builder, operand.get().getType(),
                                            operand.get(), values, nullptr));
    builder.setInsertionPointAfter(dot);
    auto result = smith::QuantizeOp::create(
        builder, dot.getType(), dot.getResult(), nullptr, gradients);
    dot.getResult().replaceAllUsesExcept(result, result);
  });
  return isAny;
}

bool expandQuantizations(func::FuncOp function) {
  return Expansion(function).run();
}

} // namespace shardsmith
