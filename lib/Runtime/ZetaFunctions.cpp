// SPDX-License-Identifier: Apache-2.0
//
// The Hurwitz zeta function, ζ(x, q) = Σ (q + k)^-x over k = 0, 1, …, and the
// derivatives of digamma, which it gives.

#include "shardsmith/Runtime/ABI.h"

#include <cmath>
#include <limits>

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// B(2j) / (2j)! of the Bernoulli numbers, from j = 1.
constexpr double bernoulli[] = {
    1.0 / 12,
    -1.0 / 720,
    1.0 / 30240,
    -1.0 / 1209600,
    1.0 / 47900160,
    -691.0 / 1307674368000,
    1.0 / 74724249600,
    -3617.0 / 10670622842880000,
    43867.0 / 5109094217170944000,
    -174611.0 / 802857662698291200000.0,
};

/// For x above 1 and q above 0: the first terms one by one, the rest by the
/// formula of Euler and Maclaurin, whose terms fall fast from there.
double zetaOfPositive(double x, double q) {
  double sum = 0, a = q;
  for (int k = 0; k < 10 || a < 10; ++k) {
    sum += std::pow(a, -x);
    a += 1;
  }
  double power = std::pow(a, -x);
  if (power == 0 || !std::isfinite(sum))
    return sum;
  double rest = power * (a / (x - 1) + 0.5);
  double term = power * x / a;
  double factor = x;
  for (double coefficient : bernoulli) {
    double added = coefficient * term;
    rest += added;
    if (std::fabs(added) < 1e-17 * rest)
      break;
    term *= (factor + 1) / a * ((factor + 2) / a);
    factor += 2;
  }
  return sum + rest;
}

bool isInteger(double x) { return x == std::floor(x); }
bool isEven(double x) { return std::fmod(x, 2) == 0; }

} // namespace

double smith_zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1)
    return notANumber;
  if (x == 1)
    return infinity;
  if (q > 0)
    return zetaOfPositive(x, q);
  if (isInteger(q))
    return isEven(x) ? infinity : notANumber;
  if (!isInteger(x))
    return notANumber;
  // The terms of negative bases are -fraction, -fraction - 1, …, q; the first
  // of positive ones is 1 - fraction.
  double fraction = -q - std::floor(-q);
  double negative = zetaOfPositive(x, fraction) - zetaOfPositive(x, 1 - q);
  return zetaOfPositive(x, 1 - fraction) + (isEven(x) ? negative : -negative);
}

double smith_polygamma(double order, double x) {
  if (order == 0)
    return smith_digamma(x);
  if (!(order > 0) || !isInteger(order))
    return notANumber;
  double zeta = smith_zeta(order + 1, x);
  double sign = isEven(order) ? -1 : 1;
  // Beyond, the factorial is infinite where the product need not be.
  if (order <= 170)
    return sign * std::tgamma(order + 1) * zeta;
  double size =
      std::exp(smith_log_gamma(order + 1) + std::log(std::fabs(zeta)));
  return std::copysign(size, sign * zeta);
}
