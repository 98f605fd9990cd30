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

template <typename OpTy> TensorValue apply(TensorValue operand) {
  ImplicitLocOpBuilder &builder = operand.builder();
  return {builder, OpTy::create(builder, operand.value())};
}

TensorValue atan2(TensorValue y, TensorValue x) {
  return {y.builder(),
          stablehlo::Atan2Op::create(y.builder(), y.value(), x.value())};
}

/// The square root, with derivative zero at zero instead of infinity.
TensorValue rootOrZero(TensorValue operand) {
  TensorValue isZero = compare(operand, Direction::EQ, 0);
  TensorValue safe = select(isZero, operand.filled(1), operand);
  TensorValue root = squareRoot(safe);
  return select(isZero, operand.filled(0), root);
}

/// i times the operand: a quarter turn; and back again.
ComplexValue turned(const ComplexValue &operand) {
  return {-operand.imaginaryOrZero(), operand.real};
}
ComplexValue turnedBack(const ComplexValue &operand) {
  return {operand.imaginaryOrZero(), -operand.real};
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
  TensorValue small =
      apply<stablehlo::Log1pOp>(select(isSmall, more, a.filled(0))) / 2;
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

// exp(a)(cos b + i sin b) - 1, with cos b = 1 - 2 sin²(b/2).
ComplexValue exponentialMinusOne(const ComplexValue &operand) {
  TensorValue more = apply<stablehlo::Expm1Op>(operand.real);
  if (!operand.imaginary)
    return {more, std::nullopt};
  TensorValue b = *operand.imaginary;
  TensorValue less = square(sine(b / 2)) * 2;
  TensorValue real = more * cosine(b) - less;
  TensorValue size = exponential(operand.real);
  return {real, size * sine(b)};
}

ComplexValue hyperbolicSine(const ComplexValue &operand) {
  TensorValue sinh = apply<chlo::SinhOp>(operand.real);
  if (!operand.imaginary)
    return {sinh, std::nullopt};
  TensorValue real = sinh * cosine(*operand.imaginary);
  TensorValue cosh = apply<chlo::CoshOp>(operand.real);
  return {real, cosh * sine(*operand.imaginary)};
}

ComplexValue hyperbolicCosine(const ComplexValue &operand) {
  TensorValue cosh = apply<chlo::CoshOp>(operand.real);
  if (!operand.imaginary)
    return {cosh, std::nullopt};
  TensorValue real = cosh * cosine(*operand.imaginary);
  TensorValue sinh = apply<chlo::SinhOp>(operand.real);
  return {real, sinh * sine(*operand.imaginary)};
}

// Sines and cosines of operand are the hyperbolic ones of i · operand.
ComplexValue sine(const ComplexValue &operand) {
  if (!operand.imaginary)
    return {sine(operand.real), std::nullopt};
  return turnedBack(hyperbolicSine(turned(operand)));
}

ComplexValue cosine(const ComplexValue &operand) {
  if (!operand.imaginary)
    return {cosine(operand.real), std::nullopt};
  return hyperbolicCosine(turned(operand));
}

ComplexValue tangent(const ComplexValue &operand) {
  if (!operand.imaginary)
    return {apply<stablehlo::TanOp>(operand.real), std::nullopt};
  return turnedBack(hyperbolicTangent(turned(operand)));
}

// With t = tanh a and h = 1 / cosh² a, which is found from exp(-2|a|), the
// tangent is (t + i h sin b cos b) / (t² + h cos² b).
ComplexValue hyperbolicTangent(const ComplexValue &operand) {
  TensorValue t = apply<stablehlo::TanhOp>(operand.real);
  if (!operand.imaginary)
    return {t, std::nullopt};
  TensorValue small = exponential(absolute(operand.real) * -2);
  TensorValue fourfold = small * 4;
  TensorValue h = fourfold / square(1 + small);
  TensorValue cos = cosine(*operand.imaginary);
  TensorValue hCos = h * cos;
  TensorValue tSquared = square(t);
  TensorValue size = tSquared + hCos * cos;
  TensorValue above = hCos * sine(*operand.imaginary);
  return {t / size, above / size};
}

// With w = exp(-z) for a ≥ 0 and w = exp(z) for a < 0, which are at most one,
// the function is 1 / (1 + w) and w / (1 + w).
ComplexValue logistic(const ComplexValue &operand) {
  if (!operand.imaginary)
    return {apply<stablehlo::LogisticOp>(operand.real), std::nullopt};
  TensorValue isRight = compare(operand.real, Direction::GE, 0);
  ComplexValue opposite = -operand;
  TensorValue real = select(isRight, opposite.real, operand.real);
  ComplexValue w = exponential(
      {real, select(isRight, *opposite.imaginary, *operand.imaginary)});
  TensorValue one = w.real.filled(1);
  TensorValue above = select(isRight, one, w.real);
  TensorValue aside = select(isRight, one.filled(0), *w.imaginary);
  return ComplexValue{above, aside} / ComplexValue{one + w.real, w.imaginary};
}

ComplexValue arcSine(const ComplexValue &operand) {
  ComplexValue one{operand.real.filled(1), std::nullopt};
  ComplexValue below = squareRoot(one - operand);
  ComplexValue above = squareRoot(one + operand);
  TensorValue real = atan2(operand.real, (below * above).real);
  ComplexValue product = conjugate(below) * above;
  return {real, apply<chlo::AsinhOp>(product.imaginaryOrZero())};
}

ComplexValue arcCosine(const ComplexValue &operand) {
  ComplexValue one{operand.real.filled(1), std::nullopt};
  ComplexValue below = squareRoot(one - operand);
  ComplexValue above = squareRoot(one + operand);
  TensorValue half = atan2(below.real, above.real);
  ComplexValue product = conjugate(above) * below;
  return {half * 2, apply<chlo::AsinhOp>(product.imaginaryOrZero())};
}

// Half the angle of (1 - a² - b²) + 2ia, and a quarter of the logarithm of
// |1 - iz|² / |1 + iz|² = 1 + 4b / (a² + (1 - b)²), for b ≥ 0: below the axis
// the sum would cancel, and the function is odd.
ComplexValue arcTangent(const ComplexValue &operand) {
  TensorValue a = operand.real;
  TensorValue b = operand.imaginaryOrZero();
  TensorValue aSquared = square(a);
  TensorValue rest = 1 - b;
  TensorValue across = rest * (1 + b) - aSquared;
  TensorValue angle = atan2(a * 2, across);
  TensorValue isBelow = compare(b, Direction::LT, 0);
  TensorValue height = select(isBelow, -b, b);
  TensorValue distance = aSquared + square(1 - height);
  TensorValue ratio = height * 4 / distance;
  TensorValue logarithm = apply<stablehlo::Log1pOp>(ratio) / 4;
  return {angle / 2, select(isBelow, -logarithm, logarithm)};
}

ComplexValue inverseHyperbolicSine(const ComplexValue &operand) {
  return turnedBack(arcSine(turned(operand)));
}

ComplexValue inverseHyperbolicCosine(const ComplexValue &operand) {
  ComplexValue one{operand.real.filled(1), std::nullopt};
  ComplexValue below = squareRoot(operand - one);
  ComplexValue above = squareRoot(operand + one);
  TensorValue real = apply<chlo::AsinhOp>((conjugate(below) * above).real);
  return {real, atan2(below.imaginaryOrZero(), above.real) * 2};
}

ComplexValue inverseHyperbolicTangent(const ComplexValue &operand) {
  return turnedBack(arcTangent(turned(operand)));
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
