// SPDX-License-Identifier: Apache-2.0

#include "Doubles.h"

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace shardsmith::cuda {

constexpr double logOfTwo = 0.693147180559945309417;

Type Doubles::like(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(element);
  return element;
}

Value Doubles::number(Value like, double value) {
  return lower::numberLike(b, like, value);
}

Value Doubles::integer(Value like, int64_t value) {
  return lower::integerLike(b, like, value);
}

Value Doubles::fused(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}

Value Doubles::plus(Value x, Value y) { return arith::AddFOp::create(b, x, y); }

Value Doubles::minus(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}

Value Doubles::times(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}

Value Doubles::over(Value x, Value y) { return arith::DivFOp::create(b, x, y); }

Value Doubles::is(Predicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}

Value Doubles::choose(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

Value Doubles::both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }

Value Doubles::bits(Value x) {
  return arith::BitcastOp::create(b, like(x, b.getI64Type()), x);
}

Value Doubles::fromBits(Value x) {
  return arith::BitcastOp::create(b, like(x, b.getF64Type()), x);
}

Value Doubles::logarithm(Value x) {
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
  return fused(e, number(x, logOfTwo), times(times(t, number(x, 2)), sum));
}

Value Doubles::exponential(Value z) {
  Value inside = choose(
      is(Predicate::OGT, z, number(z, 800)), number(z, 800),
      choose(is(Predicate::OLT, z, number(z, -800)), number(z, -800), z));
  // 1.5 · 2⁵² leaves the nearest integer in the low bits.
  Value magic = number(z, 6755399441055744.0);
  Value shifted = fused(inside, number(z, 1 / logOfTwo), magic);
  Value n = arith::SubFOp::create(b, shifted, magic);
  Value r = fused(n, number(z, -logOfTwo), inside);
  double factorial = 39916800;
  Value sum = number(z, 1 / factorial);
  for (int power = 10; power >= 0; --power) {
    factorial /= power + 1;
    sum = fused(sum, r, number(z, 1 / factorial));
  }
  Value integerBits = arith::SubIOp::create(b, bits(shifted), bits(magic));
  // |n| ≤ 1155 and 2ⁿ needs |n| ≤ 1022: in two steps.
  Value half = arith::ShRSIOp::create(b, integerBits, integer(integerBits, 1));
  Value other = arith::SubIOp::create(b, integerBits, half);
  auto powerOfTwo = [&](Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, integer(exponent, 1023));
    return fromBits(arith::ShLIOp::create(b, biased, integer(exponent, 52)));
  };
  return times(times(sum, powerOfTwo(half)), powerOfTwo(other));
}

} // namespace shardsmith::cuda
