// SPDX-License-Identifier: Apache-2.0

#include "Float8.h"

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Bits of a format, sign aside: the exponent, whose bias is `bias`, and
/// `fraction` bits.
struct Format {
  int64_t fraction, bias;
  int64_t largest;    ///< the largest number
  int64_t overflow;   ///< what is beyond it
  int64_t notANumber; ///< one of those, or the only one
  bool hasInfinity;

  /// Between the last bit of an f32 and that of the format.
  int64_t shift() const { return 23 - fraction; }
  /// The bits of an f32 less those of the format, shifted, of a normal number.
  int64_t rebias() const { return (127 - bias) << 23; }
  /// The smallest normal number as an f32, and the last bit of those below it.
  int64_t smallestNormal() const { return (128 - bias) << 23; }
  double unit() const {
    return std::ldexp(1.0, static_cast<int>(1 - bias - fraction));
  }
};

Format formatOf(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return {3, 7, 0x7e, 0x7f, 0x7f, false};
  return {2, 15, 0x7b, 0x7c, 0x7e, true};
}

/// Arithmetic on lanes of 32 bits.
struct Bits {
  ImplicitLocOpBuilder &builder;
  Value like;

  Value number(int64_t value) const {
    return integerLike(builder, like, value);
  }
  Value plus(Value a, Value b) const {
    return arith::AddIOp::create(builder, a, b);
  }
  Value minus(Value a, int64_t b) const {
    return arith::SubIOp::create(builder, a, number(b));
  }
  Value both(Value a, int64_t b) const {
    return arith::AndIOp::create(builder, a, number(b));
  }
  Value either(Value a, Value b) const {
    return arith::OrIOp::create(builder, a, b);
  }
  Value left(Value a, int64_t by) const {
    return arith::ShLIOp::create(builder, a, number(by));
  }
  Value right(Value a, int64_t by) const {
    return arith::ShRUIOp::create(builder, a, number(by));
  }
  Value isAbove(Value a, int64_t b) const {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, a,
                                 number(b));
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, condition, a, b);
  }
  Value asFloat(Value a) const {
    return arith::BitcastOp::create(builder, typeLike(a, builder.getF32Type()),
                                    a);
  }
  Value asBits(Value a) const {
    return arith::BitcastOp::create(builder, typeLike(a, builder.getI32Type()),
                                    a);
  }
};

} // namespace

bool isFloat8(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

// Of normal numbers the bits that are left over are rounded away, a carry goes
// into the exponent, and the exponent is rebased. Of those below, the adder
// rounds: the last bit of 2²³ units is one unit.
Value float8Bits(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Format format = formatOf(element);
  Value all = arith::BitcastOp::create(
      builder, typeLike(value, builder.getI32Type()), value);
  Bits bits{builder, all};
  Value sign = bits.both(bits.right(all, 24), 0x80);
  Value size = bits.both(all, 0x7fffffff);

  int64_t shift = format.shift();
  Value odd = bits.both(bits.right(size, shift), 1);
  Value rounded = bits.plus(
      bits.plus(size, bits.number((int64_t(1) << (shift - 1)) - 1)), odd);
  Value normal = bits.right(bits.minus(rounded, format.rebias()), shift);

  Value grid = numberLike(builder, value, format.unit() * 0x1p23);
  Value onGrid = arith::AddFOp::create(builder, bits.asFloat(size), grid);
  Value below =
      arith::SubIOp::create(builder, bits.asBits(onGrid), bits.asBits(grid));

  Value isNormal = bits.isAbove(size, format.smallestNormal() - 1);
  Value magnitude = bits.select(isNormal, normal, below);
  Value isBeyond = arith::AndIOp::create(builder, isNormal,
                                         bits.isAbove(normal, format.largest));
  magnitude = bits.select(isBeyond, bits.number(format.overflow), magnitude);
  magnitude = bits.select(bits.isAbove(size, 0x7f800000),
                          bits.number(format.notANumber), magnitude);
  return bits.either(sign, magnitude);
}

Value fromFloat8Bits(ImplicitLocOpBuilder &builder, Value stored,
                     Type element) {
  Format format = formatOf(element);
  Bits bits{builder, stored};
  Value sign = bits.left(bits.both(stored, 0x80), 24);
  Value size = bits.both(stored, 0x7f);
  Value normal =
      bits.plus(bits.left(size, format.shift()), bits.number(format.rebias()));
  Value units = arith::UIToFPOp::create(
      builder, typeLike(stored, builder.getF32Type()), size);
  Value below = bits.asBits(arith::MulFOp::create(
      builder, units, numberLike(builder, units, format.unit())));
  Value isNormal = bits.isAbove(size, (int64_t(1) << format.fraction) - 1);
  Value magnitude = bits.select(isNormal, normal, below);
  // Infinity and NaNs have the largest exponent of either type.
  Value special = format.hasInfinity
                      ? bits.either(bits.left(size, format.shift()),
                                    bits.number(0x7f800000))
                      : bits.number(0x7fc00000);
  magnitude =
      bits.select(bits.isAbove(size, format.largest), special, magnitude);
  return bits.asFloat(bits.either(sign, magnitude));
}

} // namespace shardsmith::lower
