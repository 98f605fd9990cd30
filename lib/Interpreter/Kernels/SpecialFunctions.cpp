// SPDX-License-Identifier: Apache-2.0

#include "SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace shardsmith::inline interpreter {
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double reciprocalSquareRoot(double x) { return 1.0 / std::sqrt(x); }

double square(double x) { return x * x; }

double logGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double roundNearestEven(double x) {
  const double rounded = std::round(x); // Ties away from zero.
  if (std::fabs(x - std::trunc(x)) != 0.5)
    return rounded;
  return std::copysign(2.0 * std::round(x / 2.0), x);
}

double inverseErf(double x) {
  if (std::isnan(x) || std::fabs(x) > 1.0)
    return notANumber;
  if (std::fabs(x) == 1.0)
    return std::copysign(infinity, x);
  // Winitzki's elementary approximation, good to about 2e-3, then Halley's
  // iteration on erf(y) - x, which triples the number of digits per step. Near
  // the ends erfc keeps the digits that erf loses.
  constexpr double a = 0.147;
  const double sign = std::copysign(1.0, x);
  const double logarithm = std::log1p(-x * x);
  const double middle = 2.0 / (std::numbers::pi * a) + logarithm / 2.0;
  double y =
      sign * std::sqrt(std::sqrt(middle * middle - logarithm / a) - middle);
  for (int step = 0; step < 4; ++step) {
    const double error =
        std::fabs(x) < 0.5
            ? std::erf(y) - x
            : sign * ((1.0 - std::fabs(x)) - std::erfc(std::fabs(y)));
    const double slope = 2.0 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    if (slope == 0.0)
      break;
    const double newton = error / slope;
    y -= newton / (1.0 + y * newton);
  }
  return y;
}

double digamma(double x) {
  if (x == 0.0)
    return std::copysign(infinity, -x);
  if (x < 0.0) {
    if (x == std::floor(x))
      return notANumber;
    // Reflection: psi(1 - x) - psi(x) = pi / tan(pi x). Only the distance from
    // the nearest pole matters to the tangent, and none of its digits is lost.
    const double fromPole = x - std::nearbyint(x);
    return digamma(1.0 - x) -
           std::numbers::pi / std::tan(std::numbers::pi * fromPole);
  }
  // Recurrence psi(x) = psi(x + 1) - 1 / x up to where the asymptotic series
  // with Bernoulli numbers is exact in double precision.
  long double shift = 0.0L, value = x;
  while (value < 16.0L) {
    shift -= 1.0L / value;
    value += 1.0L;
  }
  const long double inverse = 1.0L / (value * value);
  constexpr long double series[] = {
      1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
      1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  long double power = inverse, tail = 0.0L;
  for (long double coefficient : series) {
    tail += coefficient * power;
    power *= inverse;
  }
  return static_cast<double>(shift + std::log(value) - 0.5L / value - tail);
}

} // namespace shardsmith::inline interpreter
