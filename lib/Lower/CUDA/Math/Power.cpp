// SPDX-License-Identifier: Apache-2.0
//
// xʸ = ± exp(y · log |x|) in f64.
//
//     log |x| = e ln 2 + 2 artanh(t),   |x| = 2ᵉ m,  m in [√½, √2),
//                                       t = (m − 1) / (m + 1),  |t| < 0.1716
//     exp(z)  = 2ⁿ exp(r),              r = z − n ln 2,  |r| ≤ ½ ln 2
//
// Both series are cut where the next term is below 10⁻¹²: artanh after t¹⁷ and
// the exponential after r¹¹. z is limited to ±800 first, where the result has
// long been infinite or zero in f32.

#include "Power.h"

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

using namespace lower;
using Predicate = arith::CmpFPredicate;

constexpr double ln2 = 0.693147180559945309417;

struct Doubles {
  ImplicitLocOpBuilder &b;

  Type like(Value value, Type element) {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      return vector.clone(element);
    return element;
  }
  Value number(Value like, double value) { return numberLike(b, like, value); }
  Value integer(Value like, int64_t value) {
    return integerLike(b, like, value);
  }
  Value fused(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value times(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value is(Predicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bits(Value x) {
    return arith::BitcastOp::create(b, like(x, b.getI64Type()), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, like(x, b.getF64Type()), x);
  }

  /// Of a positive, finite f32 that was extended; 2ᵉ m as above.
  Value logarithm(Value x) {
    constexpr int64_t sqrtHalf = 0x3fe6a09e667f3bcd;
    Value all = bits(x);
    Value shifted = arith::SubIOp::create(b, all, integer(all, sqrtHalf));
    Value exponent = arith::ShRSIOp::create(b, shifted, integer(all, 52));
    Value m = fromBits(arith::SubIOp::create(
        b, all, arith::ShLIOp::create(b, exponent, integer(all, 52))));
    Value one = number(x, 1);
    Value t = arith::DivFOp::create(b, arith::SubFOp::create(b, m, one),
                                    arith::AddFOp::create(b, m, one));
    Value square = times(t, t);
    Value sum = number(x, 1.0 / 17);
    for (int power = 15; power >= 1; power -= 2)
      sum = fused(sum, square, number(x, 1.0 / power));
    Value e = arith::SIToFPOp::create(b, x.getType(), exponent);
    return fused(e, number(x, ln2), times(times(t, number(x, 2)), sum));
  }

  Value exponential(Value z) {
    Value inside = choose(
        is(Predicate::OGT, z, number(z, 800)), number(z, 800),
        choose(is(Predicate::OLT, z, number(z, -800)), number(z, -800), z));
    // 1.5 · 2⁵² leaves the nearest integer in the low bits.
    Value magic = number(z, 6755399441055744.0);
    Value shifted = fused(inside, number(z, 1 / ln2), magic);
    Value n = arith::SubFOp::create(b, shifted, magic);
    Value r = fused(n, number(z, -ln2), inside);
    double factorial = 39916800;
    Value sum = number(z, 1 / factorial);
    for (int power = 10; power >= 0; --power) {
      factorial /= power + 1;
      sum = fused(sum, r, number(z, 1 / factorial));
    }
    Value integerBits = arith::SubIOp::create(b, bits(shifted), bits(magic));
    // |n| ≤ 1155 and 2ⁿ needs |n| ≤ 1022: in two steps.
    Value half =
        arith::ShRSIOp::create(b, integerBits, integer(integerBits, 1));
    Value other = arith::SubIOp::create(b, integerBits, half);
    auto powerOfTwo = [&](Value exponent) {
      Value biased =
          arith::AddIOp::create(b, exponent, integer(exponent, 1023));
      return fromBits(arith::ShLIOp::create(b, biased, integer(exponent, 52)));
    };
    return times(times(sum, powerOfTwo(half)), powerOfTwo(other));
  }
};

} // namespace

Value emitPower(ImplicitLocOpBuilder &builder, Value x, Value y) {
  Doubles d{builder};
  Type wide = d.like(x, builder.getF64Type());
  double infinity = std::numeric_limits<double>::infinity();
  double quiet = std::numeric_limits<double>::quiet_NaN();
  Value zero = d.number(x, 0), one = d.number(x, 1);
  Value size = math::AbsFOp::create(builder, x);
  Value ySize = math::AbsFOp::create(builder, y);

  // Zero and infinity go through the formula as other numbers would: their
  // logarithms are −∞ and +∞, which the exponential limits. y = 0 is put right
  // at the end.
  Value isZero = d.is(Predicate::OEQ, size, zero);
  Value isInfinite = d.is(Predicate::OEQ, size, d.number(x, infinity));
  Value regular =
      d.choose(arith::OrIOp::create(builder, isZero, isInfinite), one, size);
  Value logarithm = d.logarithm(arith::ExtFOp::create(builder, wide, regular));
  logarithm = d.choose(isZero, d.number(logarithm, -infinity), logarithm);
  logarithm = d.choose(isInfinite, d.number(logarithm, infinity), logarithm);
  Value power = arith::TruncFOp::create(
      builder, x.getType(),
      d.exponential(
          d.times(arith::ExtFOp::create(builder, wide, y), logarithm)));

  // Integers and odd integers among y; from 2²⁴ on all are even.
  Value whole = math::FloorOp::create(builder, y);
  Value isWhole = d.is(Predicate::OEQ, whole, y);
  Value half = d.times(y, d.number(y, 0.5));
  Value isOdd =
      d.both(isWhole,
             d.is(Predicate::UNE, math::FloorOp::create(builder, half), half));
  Value isNegative =
      d.is(Predicate::OLT, math::CopySignOp::create(builder, one, x), zero);
  Value negated = arith::NegFOp::create(builder, power);
  power = d.choose(d.both(isNegative, isOdd), negated, power);
  // A negative, finite x has no root.
  Value hasNoRoot = d.both(
      d.both(d.is(Predicate::OLT, x, zero), d.is(Predicate::UNE, y, whole)),
      d.is(Predicate::UNE, size, d.number(x, infinity)));
  power = d.choose(hasNoRoot, d.number(x, quiet), power);
  // (±1)^±∞ = 1: its logarithm is zero, and zero times infinity is NaN.
  Value isUnitToInfinity =
      d.both(d.is(Predicate::OEQ, size, one),
             d.is(Predicate::OEQ, ySize, d.number(y, infinity)));
  power = d.choose(isUnitToInfinity, one, power);
  Value anyNaN = d.is(Predicate::UNO, x, y);
  power = d.choose(anyNaN, d.number(x, quiet), power);
  Value isOne = arith::OrIOp::create(builder, d.is(Predicate::OEQ, y, zero),
                                     d.is(Predicate::OEQ, x, one));
  return d.choose(isOne, one, power);
}

} // namespace shardsmith::cuda
