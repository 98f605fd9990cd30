// SPDX-License-Identifier: Apache-2.0
//
// xʸ = ± exp(y · log |x|) in f64. The exponent is limited where the result has
// long been infinite or zero in f32.

#include "Power.h"

#include "Doubles.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
using Predicate = arith::CmpFPredicate;

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
