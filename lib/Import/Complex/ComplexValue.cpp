// SPDX-License-Identifier: Apache-2.0

#include "ComplexValue.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"

using namespace mlir;

namespace shardsmith::complexes {
namespace {

using Direction = stablehlo::ComparisonDirection;

/// The operand, with derivative zero.
TensorValue constant(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, smith::StopGradientOp::create(builder, operand.value())};
}

TensorValue larger(TensorValue lhs, TensorValue rhs) {
  return {lhs.builder(),
          stablehlo::MaxOp::create(lhs.builder(), lhs.value(), rhs.value())};
}

/// A positive number near the larger part of `operand`, one for zero. What is
/// divided by it and multiplied with it again does not depend on it, so
/// derivatives take it as constant.
TensorValue scaleOf(const ComplexValue &operand) {
  TensorValue largest =
      larger(absolute(operand.real), absolute(operand.imaginaryOrZero()));
  TensorValue isZero = compare(largest, Direction::EQ, 0);
  return constant(select(isZero, largest.filled(1), largest));
}

TensorValue atan2(TensorValue y, TensorValue x) {
  return {y.builder(),
          stablehlo::Atan2Op::create(y.builder(), y.value(), x.value())};
}

TensorValue logPlusOne(TensorValue operand) {
  return {operand.builder(),
          stablehlo::Log1pOp::create(operand.builder(), operand.value())};
}

TensorValue inverseHyperbolicSine(TensorValue operand) {
  return {operand.builder(),
          chlo::AsinhOp::create(operand.builder(), operand.value())};
}

/// The square root, with derivative zero at zero instead of infinity.
TensorValue rootOrZero(TensorValue operand) {
  TensorValue isZero = compare(operand, Direction::EQ, 0);
  TensorValue safe = select(isZero, operand.filled(1), operand);
  TensorValue root = squareRoot(safe);
  return select(isZero, operand.filled(0), root);
}

} // namespace

ComplexValue multiply(const ComplexValue &lhs, const ComplexValue &rhs,
                      RealProduct product) {
  TensorValue real = product(lhs.real, rhs.real);
  if (!lhs.imaginary && !rhs.imaginary)
    return {real, std::nullopt};
  if (!rhs.imaginary)
    return {real, product(*lhs.imaginary, rhs.real)};
  if (!lhs.imaginary)
    return {real, product(lhs.real, *rhs.imaginary)};
  TensorValue minus = product(*lhs.imaginary, *rhs.imaginary);
  TensorValue first = product(lhs.real, *rhs.imaginary);
  TensorValue second = product(*lhs.imaginary, rhs.real);
  return {real - minus, first + second};
}

ComplexValue operator+(const ComplexValue &lhs, const ComplexValue &rhs) {
  TensorValue real = lhs.real + rhs.real;
  if (lhs.imaginary && rhs.imaginary)
    return {real, *lhs.imaginary + *rhs.imaginary};
  return {real, lhs.imaginary ? lhs.imaginary : rhs.imaginary};
}

ComplexValue operator-(const ComplexValue &operand) {
  ComplexValue negated{-operand.real, std::nullopt};
  if (operand.imaginary)
    negated.imaginary = -*operand.imaginary;
  return negated;
}

ComplexValue operator-(const ComplexValue &lhs, const ComplexValue &rhs) {
  TensorValue real = lhs.real - rhs.real;
  if (lhs.imaginary && rhs.imaginary)
    return {real, *lhs.imaginary - *rhs.imaginary};
  if (rhs.imaginary)
    return {real, -*rhs.imaginary};
  return {real, lhs.imaginary};
}

ComplexValue operator*(const ComplexValue &lhs, const ComplexValue &rhs) {
  return multiply(lhs, rhs, [](TensorValue a, TensorValue b) { return a * b; });
}

ComplexValue operator/(const ComplexValue &lhs, const ComplexValue &rhs) {
  if (!rhs.imaginary) {
    ComplexValue quotient{lhs.real / rhs.real, std::nullopt};
    if (lhs.imaginary)
      quotient.imaginary = *lhs.imaginary / rhs.real;
    return quotient;
  }
  TensorValue scale = scaleOf(rhs);
  TensorValue c = rhs.real / scale;
  TensorValue d = *rhs.imaginary / scale;
  TensorValue cSquared = square(c);
  TensorValue size = (cSquared + square(d)) * scale;
  ComplexValue above = lhs * conjugate({c, d});
  return {above.real / size, *above.imaginary / size};
}

ComplexValue conjugate(const ComplexValue &operand) {
  if (!operand.imaginary)
    return operand;
  return {operand.real, -*operand.imaginary};
}

ComplexValue scaled(const ComplexValue &operand, double factor) {
  ComplexValue result{operand.real * factor, std::nullopt};
  if (operand.imaginary)
    result.imaginary = *operand.imaginary * factor;
  return result;
}

TensorValue modulus(const ComplexValue &operand) {
  if (!operand.imaginary)
    return absolute(operand.real);
  TensorValue scale = scaleOf(operand);
  TensorValue a = square(operand.real / scale);
  TensorValue b = square(*operand.imaginary / scale);
  return scale * rootOrZero(a + b);
}

TensorValue argument(const ComplexValue &operand) {
  return atan2(operand.imaginaryOrZero(), operand.real);
}

ComplexValue exponential(const ComplexValue &operand) {
  TensorValue size = exponential(operand.real);
  if (!operand.imaginary)
    return {size, std::nullopt};
  TensorValue real = size * cosine(*operand.imaginary);
  return {real, size * sine(*operand.imaginary)};
}

ComplexValue logarithm(const ComplexValue &operand) {
  TensorValue real = logarithm(modulus(operand));
  return {real, argument(operand)};
}

// |1 + z|² = 1 + a(2 + a) + b²; of large numbers, whose square may overflow,
// the modulus is exact enough.
ComplexValue logarithmPlusOne(const ComplexValue &operand) {
  TensorValue a = operand.real;
  TensorValue b = operand.imaginaryOrZero();
  TensorValue isSmall =
      compare(larger(absolute(a), absolute(b)), Direction::LT, 0.5);
  TensorValue more = a * (2 + a) + square(b);
  TensorValue small = logPlusOne(select(isSmall, more, a.filled(0))) / 2;
  TensorValue one = 1 + a;
  TensorValue large = logarithm(modulus({one, b}));
  return {select(isSmall, small, large), atan2(b, one)};
}

// With r = sqrt((|z| + |a|) / 2), the root of a + ib is r + i b/2r for a ≥ 0,
// and |b|/2r ± i r, with the sign of b, for a < 0: nothing cancels.
ComplexValue squareRoot(const ComplexValue &operand) {
  TensorValue a = operand.real;
  TensorValue b = operand.imaginaryOrZero();
  TensorValue size = modulus({a, b});
  TensorValue r = rootOrZero((size + absolute(a)) / 2);
  TensorValue isZero = compare(r, Direction::EQ, 0);
  TensorValue safe = select(isZero, r.filled(1), r);
  TensorValue other = b / (safe * 2);
  TensorValue isRight = compare(a, Direction::GE, 0);
  TensorValue isBelow = compare(b, Direction::LT, 0);
  TensorValue minusR = -r;
  TensorValue real = select(isRight, r, absolute(other));
  TensorValue turned = select(isBelow, minusR, r);
  return {real, select(isRight, other, turned)};
}

// sin(a + ib) = sin a cosh b + i cos a sinh b, and with cosines
// cos a cosh b - i sin a sinh b.
namespace {
std::pair<TensorValue, TensorValue> hyperbolic(TensorValue operand) {
  TensorValue up = exponential(operand);
  TensorValue down = exponential(-operand);
  TensorValue cosh = (up + down) / 2;
  return {(up - down) / 2, cosh};
}
} // namespace

ComplexValue sine(const ComplexValue &operand) {
  TensorValue sin = sine(operand.real);
  if (!operand.imaginary)
    return {sin, std::nullopt};
  auto [sinh, cosh] = hyperbolic(*operand.imaginary);
  TensorValue real = sin * cosh;
  return {real, cosine(operand.real) * sinh};
}

ComplexValue cosine(const ComplexValue &operand) {
  TensorValue cos = cosine(operand.real);
  if (!operand.imaginary)
    return {cos, std::nullopt};
  auto [sinh, cosh] = hyperbolic(*operand.imaginary);
  TensorValue real = cos * cosh;
  return {real, -(sine(operand.real) * sinh)};
}

ComplexValue arcSine(const ComplexValue &operand) {
  ComplexValue one{operand.real.filled(1), std::nullopt};
  ComplexValue below = squareRoot(one - operand);
  ComplexValue above = squareRoot(one + operand);
  TensorValue real = atan2(operand.real, (below * above).real);
  ComplexValue turned = conjugate(below) * above;
  return {real, inverseHyperbolicSine(turned.imaginaryOrZero())};
}

// Half the angle of (1 - a² - b²) + 2ia, and a quarter of the logarithm of
// |1 - iz|² / |1 + iz|² = 1 + 4b / (a² + (1 - b)²).
ComplexValue arcTangent(const ComplexValue &operand) {
  TensorValue a = operand.real;
  TensorValue b = operand.imaginaryOrZero();
  TensorValue aSquared = square(a);
  TensorValue angle = atan2(a * 2, (1 - b) * (1 + b) - aSquared);
  TensorValue ratio = b * 4 / (aSquared + square(1 - b));
  return {angle / 2, logPlusOne(ratio) / 4};
}

ComplexValue sign(const ComplexValue &operand) {
  if (!operand.imaginary)
    return {sign(operand.real), std::nullopt};
  TensorValue size = modulus(operand);
  TensorValue isZero = compare(size, Direction::EQ, 0);
  TensorValue safe = constant(select(isZero, size.filled(1), size));
  TensorValue real = constant(operand.real) / safe;
  return {real, constant(*operand.imaginary) / safe};
}

} // namespace shardsmith::complexes
