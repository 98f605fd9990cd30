// SPDX-License-Identifier: Apache-2.0
//
// Amounts times factors that are not whole; too much stays too much.

#ifndef SHARDSMITH_LIB_CHECK_ROUNDING_H
#define SHARDSMITH_LIB_CHECK_ROUNDING_H

#include "shardsmith/Support/Quantity.h"

#include <cmath>

namespace shardsmith::check {

inline constexpr double tooMuch = 9.2e18;

template <typename Unit>
Quantity<Unit> times(Quantity<Unit> amount, double factor) {
  double product = static_cast<double>(amount.count()) * factor;
  if (amount.isSaturated() || !(product < tooMuch))
    return Quantity<Unit>::saturated();
  return Quantity<Unit>(std::llround(product));
}

/// `each` bytes for every one of `count` things.
inline Bytes bytesFor(int64_t count, double each) {
  double product = static_cast<double>(count) * each;
  if (!(product < tooMuch))
    return Bytes::saturated();
  return Bytes(static_cast<int64_t>(std::ceil(product)));
}

inline int64_t multiplied(int64_t a, int64_t b) {
  return checkedMultiply(a, b).value_or(INT64_MAX);
}

inline int64_t added(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ROUNDING_H
