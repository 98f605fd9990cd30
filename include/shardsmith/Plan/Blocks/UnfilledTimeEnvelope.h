// SPDX-License-Identifier: Apache-2.0
//
// The cost envelope of a unit, for schedules in which gradients of parameters
// fill the gaps of the pipeline.

#ifndef SHARDSMITH_PLAN_BLOCKS_UNFILLEDTIMEENVELOPE_H
#define SHARDSMITH_PLAN_BLOCKS_UNFILLEDTIMEENVELOPE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace shardsmith {

/// The lower envelope, over all layouts of a unit or of several, of
///
///     time − share · backwardWeight,     0 <= share
///
/// in nanoseconds, without recomputation: the time that is left if this share
/// of the gradients of parameters fills gaps. Every layout is a line, and the
/// least of lines is a concave function of the share. So between two shares for
/// which it is known it is not below the line through both, which is the bound
/// that `at` returns.
class UnfilledTimeEnvelope {
public:
  /// The envelope is known at the shares 0, 1/4, … 5/4. Shares above 1 occur
  /// because the launch floor enlarges a share a little.
  static constexpr size_t steps = 4, points = steps + 2;
  static constexpr double shareAt(size_t point) {
    return double(point) / double(steps);
  }

  /// What `at` returns beyond the known shares: far below every value.
  static constexpr double unknown = -double(int64_t(1) << 52);

  std::array<double, points> least = {};

  double at(double share) const {
    double place = share * double(steps);
    if (place > double(points - 1))
      return unknown;
    auto below = std::min(size_t(place), points - 2);
    double above = place - double(below);
    return least[below] * (1 - above) + least[below + 1] * above;
  }
  void takeLess(const UnfilledTimeEnvelope &other) {
    for (size_t point = 0; point < points; ++point)
      least[point] = std::min(least[point], other.least[point]);
  }
  void add(const UnfilledTimeEnvelope &unit, int64_t count) {
    for (size_t point = 0; point < points; ++point)
      least[point] += unit.least[point] * double(count);
  }
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_UNFILLEDTIMEENVELOPE_H
