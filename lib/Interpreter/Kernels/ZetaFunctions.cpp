// SPDX-License-Identifier: Apache-2.0
//
// The Hurwitz zeta function from many terms of its series, and an estimate of
// the rest that so few corrections suffice for; polygamma from it.

#include "SpecialFunctions.h"

#include <cmath>
#include <limits>

namespace shardsmith::inline interpreter {
namespace {

/// The sum of (q + k)^-x over all k for positive q.
long double series(long double x, long double q) {
  long double sum = 0.0L, base = q;
  for (int term = 0; term < 60; ++term, base += 1.0L)
    sum += std::pow(base, -x);
  const long double last = std::pow(base, -x);
  if (last == 0.0L || !std::isfinite(sum))
    return sum;
  // Integral, half of the next term, and its first three derivatives of odd
  // order.
  long double rest = last * base / (x - 1.0L) + last / 2.0L;
  const long double first = last * x / base;
  const long double third = first * (x + 1.0L) * (x + 2.0L) / (base * base);
  const long double fifth = third * (x + 3.0L) * (x + 4.0L) / (base * base);
  rest += first / 12.0L - third / 720.0L + fifth / 30240.0L;
  return sum + rest;
}

} // namespace

double zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1.0)
    return notANumber;
  if (x == 1.0)
    return infinity;
  if (q > 0.0)
    return static_cast<double>(series(x, q));
  const bool isEven = std::fmod(x, 2.0) == 0.0;
  if (q == std::floor(q))
    return isEven ? infinity : notANumber;
  if (x != std::floor(x))
    return notANumber;
  // Bases below zero, the nearest first, up to q; then those above.
  const long double nearest = -static_cast<long double>(q) - std::floor(-q);
  long double below = series(x, nearest) - series(x, 1.0L - q);
  if (!isEven)
    below = -below;
  return static_cast<double>(below + series(x, 1.0L - nearest));
}

double polygamma(double order, double x) {
  if (order == 0.0)
    return digamma(x);
  if (!(order > 0.0) || order != std::floor(order))
    return notANumber;
  const double sum = zeta(order + 1.0, x);
  const long double size =
      std::exp(std::lgamma(static_cast<long double>(order) + 1.0L) +
               std::log(std::fabs(static_cast<long double>(sum))));
  const bool isNegative = (std::fmod(order, 2.0) == 0.0) != (sum < 0.0);
  return static_cast<double>(isNegative ? -size : size);
}

} // namespace shardsmith::inline interpreter
