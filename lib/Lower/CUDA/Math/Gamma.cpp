// SPDX-License-Identifier: Apache-2.0
//
// Positive numbers are brought to 12 and more, where the series of Stirling are
// short (Abramowitz and Stegun, 6.1.15, 6.1.40, 6.3.5, 6.3.18):
//
//     log Γ(x) = log Γ(x + n) − log (x (x + 1) … (x + n − 1))
//     ψ(x)     = ψ(x + n) − (1/x + 1/(x + 1) + … + 1/(x + n − 1))
//
// and negative ones are mirrored (6.1.17, 6.3.7), with the distance t from the
// nearest whole number:
//
//     log Γ(x) = log (π / |sin πt|) − log Γ(1 − x)
//     ψ(x)     = ψ(1 − x) − π / tan πt

#include "Gamma.h"

#include "Doubles.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

using Predicate = arith::CmpFPredicate;

constexpr double pi = 3.14159265358979323846;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
/// From here on the series is used.
constexpr int seriesBegin = 12;

/// c₀ + c₁ z + c₂ z² + …
Value polynomial(Doubles &d, Value z, ArrayRef<double> coefficients) {
  Value sum = d.number(z, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = d.fused(sum, z, d.number(z, coefficient));
  return sum;
}

/// sin πt for |t| ≤ ½: Taylor's series, cut where the next term is below
/// 10⁻¹⁷.
Value sineOfHalfTurns(Doubles &d, Value t) {
  Value angle = d.times(t, d.number(t, pi));
  SmallVector<double> coefficients{1};
  for (int power = 3; power <= 21; power += 2)
    coefficients.push_back(-coefficients.back() / (power * (power - 1)));
  return d.times(angle, polynomial(d, d.times(angle, angle), coefficients));
}

/// Some number instead of one that is not positive or not finite, which
/// results are chosen for afterwards.
struct Mirrored {
  Mirrored(Doubles &d, Value x) {
    Value zero = d.number(x, 0), one = d.number(x, 1);
    isNegative = d.is(Predicate::OLT, x, zero);
    positive = d.choose(isNegative, d.minus(one, x), x);
    Value isUsual =
        d.both(d.is(Predicate::OGT, positive, zero),
               d.is(Predicate::OLT, positive, d.number(x, infinity)));
    positive = d.choose(isUsual, positive, one);
    Value pole = math::RoundEvenOp::create(d.b, x);
    fromPole = d.minus(x, pole);
    isPole = d.is(Predicate::OEQ, x, pole);
  }
  Value isNegative, positive, fromPole, isPole;
};

} // namespace

Value emitLogGamma(ImplicitLocOpBuilder &builder, Value x) {
  Doubles d{builder};
  Mirrored mirrored(d, x);
  Value one = d.number(x, 1), a = mirrored.positive, product = one;
  for (int step = 0; step < seriesBegin; ++step) {
    Value isSmall = d.is(Predicate::OLT, a, d.number(x, seriesBegin));
    product = d.choose(isSmall, d.times(product, a), product);
    a = d.choose(isSmall, d.plus(a, one), a);
  }
  Value inverse = d.over(one, a);
  constexpr double halfLogOfTurn = 0.918938533204672741780; // ½ log 2π
  Value series = polynomial(d, d.times(inverse, inverse),
                            {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                             1.0 / 1188, -691.0 / 360360, 1.0 / 156});
  Value result = d.fused(d.minus(a, d.number(x, 0.5)), d.logarithm(a),
                         d.minus(d.number(x, halfLogOfTurn), a));
  result = d.fused(series, inverse, result);
  result = d.minus(result, d.logarithm(product));
  Value sine =
      math::AbsFOp::create(builder, sineOfHalfTurns(d, mirrored.fromPole));
  Value isSome = d.is(Predicate::OGT, sine, d.number(x, 0));
  Value ratio = d.over(d.number(x, pi), d.choose(isSome, sine, one));
  result = d.choose(mirrored.isNegative, d.minus(d.logarithm(ratio), result),
                    result);
  // Poles, and both infinities.
  Value isEnd = arith::OrIOp::create(
      builder, d.both(mirrored.isPole, d.is(Predicate::OLE, x, d.number(x, 0))),
      d.is(Predicate::OEQ, math::AbsFOp::create(builder, x),
           d.number(x, infinity)));
  result = d.choose(isEnd, d.number(x, infinity), result);
  return d.choose(d.is(Predicate::UNO, x, x), x, result);
}

Value emitDigamma(ImplicitLocOpBuilder &builder, Value x) {
  Doubles d{builder};
  Mirrored mirrored(d, x);
  Value zero = d.number(x, 0), one = d.number(x, 1);
  Value a = mirrored.positive, below = zero;
  for (int step = 0; step < seriesBegin; ++step) {
    Value isSmall = d.is(Predicate::OLT, a, d.number(x, seriesBegin));
    below = d.choose(isSmall, d.plus(below, d.over(one, a)), below);
    a = d.choose(isSmall, d.plus(a, one), a);
  }
  Value inverse = d.over(one, a), square = d.times(inverse, inverse);
  Value series = polynomial(
      d, square,
      {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760});
  Value result = d.minus(d.logarithm(a), d.times(inverse, d.number(x, 0.5)));
  result = d.minus(result, d.times(square, series));
  result = d.minus(result, below);
  Value sine = sineOfHalfTurns(d, mirrored.fromPole);
  Value cosine = sineOfHalfTurns(
      d, d.minus(d.number(x, 0.5),
                 math::AbsFOp::create(builder, mirrored.fromPole)));
  Value ofTangent = d.over(d.times(d.number(x, pi), cosine), sine);
  result = d.choose(mirrored.isNegative, d.minus(result, ofTangent), result);
  Value isNegativePole = d.both(mirrored.isPole, mirrored.isNegative);
  result = d.choose(isNegativePole, d.number(x, notANumber), result);
  Value ofZero = math::CopySignOp::create(builder, d.number(x, infinity),
                                          arith::NegFOp::create(builder, x));
  result = d.choose(d.is(Predicate::OEQ, x, zero), ofZero, result);
  result = d.choose(d.is(Predicate::OEQ, x, d.number(x, infinity)), x, result);
  return d.choose(d.is(Predicate::UNO, x, x), x, result);
}

} // namespace shardsmith::cuda
