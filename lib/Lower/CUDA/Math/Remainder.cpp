// SPDX-License-Identifier: Apache-2.0
//
// A long division in f64, by digits of 28 bits from the highest one on:
//
//     r = |x|
//     for k = 9 … 0:   d = |y| · 2^(28 k),  r < 2²⁸ d
//                      q = ⌊r / d⌋,  r = r − q d,  and r + d if that is
//                      negative
//
// A quotient of two f32 is below 2²⁷⁷. q has at most 28 bits and d has 24, so
// q d and the difference are exact. Where r / d was rounded up to a whole
// number, q is one too many.

#include "Remainder.h"

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace shardsmith::cuda {

Value emitRemainder(ImplicitLocOpBuilder &builder, Value x, Value y) {
  using lower::numberLike;
  using Predicate = arith::CmpFPredicate;
  constexpr int digits = 10, bitsOfDigit = 28;
  Type wide = builder.getF64Type();
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    wide = vector.clone(wide);
  Value size = math::AbsFOp::create(builder, x);
  Value divisorSize = math::AbsFOp::create(builder, y);
  Value rest = arith::ExtFOp::create(builder, wide, size);
  Value divisor = arith::ExtFOp::create(builder, wide, divisorSize);
  for (int digit = digits - 1; digit >= 0; --digit) {
    Value scaled = arith::MulFOp::create(
        builder, divisor,
        numberLike(builder, divisor, std::ldexp(1.0, bitsOfDigit * digit)));
    Value quotient = math::FloorOp::create(
        builder, arith::DivFOp::create(builder, rest, scaled));
    rest = math::FmaOp::create(
        builder, arith::NegFOp::create(builder, quotient), scaled, rest);
    Value isTooMuch = arith::CmpFOp::create(builder, Predicate::OLT, rest,
                                            numberLike(builder, rest, 0));
    rest = arith::SelectOp::create(
        builder, isTooMuch, arith::AddFOp::create(builder, rest, scaled), rest);
  }
  Value result = math::CopySignOp::create(
      builder, arith::TruncFOp::create(builder, x.getType(), rest), x);
  // Nothing that is finite is divided by infinity.
  Value infinity =
      numberLike(builder, x, std::numeric_limits<double>::infinity());
  Value isKept = arith::AndIOp::create(
      builder,
      arith::CmpFOp::create(builder, Predicate::OEQ, divisorSize, infinity),
      arith::CmpFOp::create(builder, Predicate::OLT, size, infinity));
  return arith::SelectOp::create(builder, isKept, x, result);
}

} // namespace shardsmith::cuda
