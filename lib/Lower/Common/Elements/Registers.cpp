// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "Float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace shardsmith::lower {

bool isSupportedElement(Type element) {
  if (element.isBF16() || element.isF16() || element.isF32() ||
      element.isF64() || isFloat8(element))
    return true;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return false;
  unsigned width = integer.getWidth();
  return width == 1 || width == 8 || width == 16 || width == 32 || width == 64;
}

Type registerType(Type element) {
  if (element.isBF16() || element.isF16() || isFloat8(element))
    return Float32Type::get(element.getContext());
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

Type withLanes(Type type, int64_t lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

Type laneType(Value value) { return getElementTypeOrSelf(value.getType()); }

Value spread(ImplicitLocOpBuilder &builder, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, VectorType::get({lanes}, value.getType()), value);
}

static Value constantLike(ImplicitLocOpBuilder &builder, Value like,
                          TypedAttr scalar) {
  if (auto type = dyn_cast<VectorType>(like.getType()))
    return arith::ConstantOp::create(builder,
                                     DenseElementsAttr::get(type, scalar));
  return arith::ConstantOp::create(builder, scalar);
}

Value numberLike(ImplicitLocOpBuilder &builder, Value like, double number) {
  return constantLike(builder, like,
                      builder.getFloatAttr(laneType(like), number));
}

Value integerLike(ImplicitLocOpBuilder &builder, Value like, int64_t number) {
  return constantLike(builder, like,
                      builder.getIntegerAttr(laneType(like), number));
}

Type typeLike(Value like, Type element) {
  if (auto type = dyn_cast<VectorType>(like.getType()))
    return type.clone(element);
  return element;
}

// Round to nearest even on the upper half of the bits: adding 0x7fff, plus
// one if the lowest kept bit is set, carries exactly when it should. A NaN
// could carry into infinity and is made quiet instead.
static Value bfloatBits(ImplicitLocOpBuilder &builder, Value value) {
  Type i32 = typeLike(value, builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, i32, value);
  Value sixteen = integerLike(builder, bits, 16);
  Value high = arith::ShRUIOp::create(builder, bits, sixteen);
  Value odd =
      arith::AndIOp::create(builder, high, integerLike(builder, bits, 1));
  Value bias =
      arith::AddIOp::create(builder, odd, integerLike(builder, bits, 0x7fff));
  Value rounded = arith::ShRUIOp::create(
      builder, arith::AddIOp::create(builder, bits, bias), sixteen);
  Value quiet =
      arith::OrIOp::create(builder, high, integerLike(builder, bits, 0x40));
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(builder, isNaN, quiet, rounded);
}

static Value fromBfloatBits(ImplicitLocOpBuilder &builder, Value bits) {
  Value shifted =
      arith::ShLIOp::create(builder, bits, integerLike(builder, bits, 16));
  return arith::BitcastOp::create(builder, typeLike(bits, builder.getF32Type()),
                                  shifted);
}

Value roundTo(ImplicitLocOpBuilder &builder, Value value, Type element) {
  if (element.isBF16())
    return fromBfloatBits(builder, bfloatBits(builder, value));
  if (isFloat8(element))
    return roundToFloat8(builder, value, element);
  if (element.isF16()) {
    Value narrow =
        arith::TruncFOp::create(builder, typeLike(value, element), value);
    return arith::ExtFOp::create(builder, value.getType(), narrow);
  }
  return value;
}

// Where the nearest f32 is farther from zero, the one before it is nearer. The
// bits of either sign count away from zero.
Value roundedToOdd(ImplicitLocOpBuilder &builder, Value value) {
  Type single = typeLike(value, builder.getF32Type());
  Type i32 = typeLike(value, builder.getI32Type());
  Value nearest = arith::TruncFOp::create(builder, single, value);
  Value back = arith::ExtFOp::create(builder, value.getType(), nearest);
  auto is = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::ExtUIOp::create(
        builder, i32, arith::CmpFOp::create(builder, predicate, a, b));
  };
  Value isFarther =
      is(arith::CmpFPredicate::OGT, math::AbsFOp::create(builder, back),
         math::AbsFOp::create(builder, value));
  Value isInexact = is(arith::CmpFPredicate::ONE, back, value);
  Value bits = arith::SubIOp::create(
      builder, arith::BitcastOp::create(builder, i32, nearest), isFarther);
  return arith::BitcastOp::create(
      builder, single, arith::OrIOp::create(builder, bits, isInexact));
}

Type storageType(Type element) {
  if (element.isInteger(1) || isFloat8(element))
    return IntegerType::get(element.getContext(), 8);
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

Value fromStorage(ImplicitLocOpBuilder &builder, Value stored, Type element) {
  if (element.isInteger(1))
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, stored,
                                 integerLike(builder, stored, 0));
  if (element.isBF16()) {
    Value wide = arith::ExtUIOp::create(
        builder, typeLike(stored, builder.getI32Type()), stored);
    return fromBfloatBits(builder, wide);
  }
  if (isFloat8(element)) {
    Value wide = arith::ExtUIOp::create(
        builder, typeLike(stored, builder.getI32Type()), stored);
    return fromFloat8Bits(builder, wide, element);
  }
  if (element.isF16())
    return arith::ExtFOp::create(
        builder, typeLike(stored, builder.getF32Type()), stored);
  return stored;
}

Value toStorage(ImplicitLocOpBuilder &builder, Value value, Type element) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, typeLike(value, builder.getI8Type()),
                                  value);
  if (element.isBF16())
    return arith::TruncIOp::create(builder,
                                   typeLike(value, builder.getI16Type()),
                                   bfloatBits(builder, value));
  if (isFloat8(element))
    return arith::TruncIOp::create(builder,
                                   typeLike(value, builder.getI8Type()),
                                   float8Bits(builder, value, element));
  if (element.isF16())
    return arith::TruncFOp::create(builder, typeLike(value, element), value);
  return value;
}

} // namespace shardsmith::lower
