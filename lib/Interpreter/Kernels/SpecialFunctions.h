// SPDX-License-Identifier: Apache-2.0
//
// Real functions that the C library lacks, in double precision.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_SPECIALFUNCTIONS_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_SPECIALFUNCTIONS_H

#include <limits>

namespace shardsmith::inline interpreter {

inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

double logistic(double x);
double reciprocalSquareRoot(double x);
/// The inverse of `erf` on (-1, 1); infinite at the ends, NaN outside.
double inverseErf(double x);
/// The logarithmic derivative of the gamma function; NaN at its poles.
double digamma(double x);
/// The derivative of digamma of that order: a whole number, else NaN.
double polygamma(double order, double x);
/// The sum of (q + k)^-x over k = 0, 1, …: infinite or NaN at its poles, and
/// NaN for x below 1.
double zeta(double x, double q);
double square(double x);
/// The logarithm of |gamma(x)|, without the C library's global sign.
double logGamma(double x);
/// Rounds to the nearest integer, ties to even, in any rounding mode.
double roundNearestEven(double x);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_SPECIALFUNCTIONS_H
