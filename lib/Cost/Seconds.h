// SPDX-License-Identifier: Apache-2.0
//
// From seconds in floating point to whole nanoseconds, and the smooth maximum
// of two times.

#ifndef SHARDSMITH_LIB_COST_SECONDS_H
#define SHARDSMITH_LIB_COST_SECONDS_H

#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::cost {

/// Rounded up; saturates.
inline Nanoseconds roundUp(double seconds) {
  double nanoseconds = std::ceil(seconds * 1e9);
  if (!(nanoseconds < 9.2e18))
    return Nanoseconds::saturated();
  return Nanoseconds(int64_t(std::max(nanoseconds, 0.0)));
}

/// (a^power + b^power)^(1/power): the sum for power 1; nearer to the larger of
/// the two above that, more than the sum below. Rises with both.
inline double smoothMaximum(double a, double b, double power) {
  if (power == 1)
    return a + b;
  double larger = std::max(a, b), smaller = std::min(a, b);
  if (larger <= 0)
    return 0;
  return larger * std::pow(1 + std::pow(smaller / larger, power), 1 / power);
}

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_SECONDS_H
