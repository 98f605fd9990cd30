// SPDX-License-Identifier: Apache-2.0
//
// Multiplication of quantities by factors, with defined rounding and
// saturation.

#ifndef SHARDSMITH_LIB_COST_SCALE_H
#define SHARDSMITH_LIB_COST_SCALE_H

#include "shardsmith/Support/Quantity.h"

#include <cmath>

namespace shardsmith {

/// `amount · factor` for factors that are not negative, rounded to the nearest
/// whole number; saturates.
template <typename Unit>
Quantity<Unit> scaled(Quantity<Unit> amount, double factor) {
  if (amount.isSaturated())
    return amount;
  double product = double(amount.count()) * factor;
  if (!(product < 9.2e18))
    return Quantity<Unit>::saturated();
  return Quantity<Unit>(std::llround(product));
}

/// `count · bytesEach`, rounded up; saturates.
inline Bytes bytesOf(int64_t count, double bytesEach) {
  double product = std::ceil(double(count) * bytesEach);
  if (!(product < 9.2e18))
    return Bytes::saturated();
  return Bytes(int64_t(product));
}

/// `amount` · numerator ÷ denominator, rounded up.
template <typename Unit>
Quantity<Unit> share(Quantity<Unit> amount, int64_t numerator,
                     int64_t denominator) {
  Quantity<Unit> product = amount * numerator;
  if (product.isSaturated())
    return product;
  return Quantity<Unit>(ceilDivide(product.count(), denominator));
}

} // namespace shardsmith

#endif // SHARDSMITH_LIB_COST_SCALE_H
