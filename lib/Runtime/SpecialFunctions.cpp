// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/ABI.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// ψ(x) for x of at least 12: the asymptotic series, whose next term is below
/// 1e-17 there.
double digammaOfLarge(double x) {
  double z = 1 / (x * x);
  double tail =
      z * (1.0 / 12 -
           z * (1.0 / 120 -
                z * (1.0 / 252 -
                     z * (1.0 / 240 - z * (1.0 / 132 - z * 691.0 / 32760)))));
  return std::log(x) - 0.5 / x - tail;
}

} // namespace

double smith_inverse_erf(double x) {
  double size = std::fabs(x);
  if (!(size <= 1))
    return notANumber;
  if (size == 1 || size == 0)
    return size == 0 ? x : x * std::numeric_limits<double>::infinity();
  // The complement keeps its digits near one; Newton's method with the second
  // derivative solves erfc(y) = rest, or erf(y) = size, from a start with two
  // digits: the series in the middle, the asymptotic form at the end.
  double rest = 1 - size;
  bool isMiddle = size < 0.7;
  double t = -std::log(rest * std::sqrt(std::numbers::pi));
  double y = isMiddle ? size * std::sqrt(std::numbers::pi) / 2 *
                            (1 + std::numbers::pi * size * size / 12)
                      : std::sqrt(std::fmax(t - std::log(std::sqrt(t)), 0.5));
  for (int step = 0; step < 6; ++step) {
    double error = isMiddle ? std::erf(y) - size : rest - std::erfc(y);
    double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    double change = error / slope;
    y -= change / (1 + y * change);
  }
  return std::copysign(y, x);
}

double smith_log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double smith_digamma(double x) {
  if (x == 0)
    return std::copysign(std::numeric_limits<double>::infinity(), -x);
  // ψ(1 − x) − ψ(x) = π / tan(π x), whose period is one.
  if (x < 0) {
    if (x == std::floor(x))
      return notANumber;
    // From the nearest pole, of which no digit is lost.
    double fromPole = x - std::nearbyint(x);
    return smith_digamma(1 - x) -
           std::numbers::pi / std::tan(std::numbers::pi * fromPole);
  }
  double below = 0;
  while (x < 12) {
    below += 1 / x;
    x += 1;
  }
  return digammaOfLarge(x) - below;
}
