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

// Of normal numbers the bits that are left over are rounded away: half of the
// last bit that stays, less one if that is even, carries into it exactly when
// rounding goes up, and from there into the exponent. Of those below, the adder
// rounds: the last bit of 2²³ units is one unit.
namespace {

struct Rounding {
  Rounding(ImplicitLocOpBuilder &builder, Value value, const Format &format)
      : bits{builder,
             arith::BitcastOp::create(
                 builder, typeLike(value, builder.getI32Type()), value)},
        size(bits.both(bits.like, 0x7fffffff)),
        grid(numberLike(builder, value, format.unit() * 0x1p23)),
        onGrid(arith::AddFOp::create(builder, bits.asFloat(size), grid)),
        isNormal(bits.isAbove(size, format.smallestNormal() - 1)) {
    Value odd = bits.both(bits.right(size, format.shift()), 1);
    int64_t half = int64_t(1) << (format.shift() - 1);
    carried = bits.plus(bits.plus(size, bits.number(half - 1)), odd);
  }

  Value isNaN() const { return bits.isAbove(size, 0x7f800000); }

  Bits bits;
  Value size;         ///< the bits without the sign
  Value grid, onGrid; ///< 2²³ units, and with the number added
  Value isNormal;
  Value carried; ///< the bits of a normal number, those left over unspecified
};

} // namespace

Value float8Bits(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Format format = formatOf(element);
  Rounding rounding(builder, value, format);
  const Bits &bits = rounding.bits;
  Value normal =
      bits.right(bits.minus(rounding.carried, format.rebias()), format.shift());
  Value below = arith::SubIOp::create(builder, bits.asBits(rounding.onGrid),
                                      bits.asBits(rounding.grid));
  Value magnitude = bits.select(rounding.isNormal, normal, below);
  Value isBeyond = arith::AndIOp::create(builder, rounding.isNormal,
                                         bits.isAbove(normal, format.largest));
  magnitude = bits.select(isBeyond, bits.number(format.overflow), magnitude);
  magnitude =
      bits.select(rounding.isNaN(), bits.number(format.notANumber), magnitude);
  Value sign = bits.both(bits.right(bits.like, 24), 0x80);
  return bits.either(sign, magnitude);
}

Value roundToFloat8(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Format format = formatOf(element);
  Rounding rounding(builder, value, format);
  const Bits &bits = rounding.bits;
  Value normal = bits.both(rounding.carried, -(int64_t(1) << format.shift()));
  Value below = bits.asBits(
      arith::SubFOp::create(builder, rounding.onGrid, rounding.grid));
  Value magnitude = bits.select(rounding.isNormal, normal, below);
  int64_t largest = (format.largest << format.shift()) + format.rebias();
  int64_t infinity = 0x7f800000, notANumber = 0x7fc00000;
  magnitude = bits.select(
      bits.isAbove(magnitude, largest),
      bits.number(format.hasInfinity ? infinity : notANumber), magnitude);
  if (format.hasInfinity)
    magnitude =
        bits.select(rounding.isNaN(), bits.number(notANumber), magnitude);
  Value sign = bits.both(bits.like, -(int64_t(1) << 31));
  return bits.asFloat(bits.either(sign, magnitude));
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
