// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PLAN_BLOCKS_UNFILLEDTIMEENVELOPE_H
#define SHARDSMITH_PLAN_BLOCKS_UNFILLEDTIMEENVELOPE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace shardsmith {

/// A lower bound, over all layouts of a unit or of several, on
///
///     time − share · backwardWeight,     0 <= share
///
/// in nanoseconds, without recomputation: what is left when so much of the
/// gradients of parameters fills gaps of the pipeline. The least of it is a
/// concave function of the share, as it is the least of lines; between two
/// shares for which it is known it is not below the line through both.
class UnfilledTimeEnvelope {
public:
  /// It is known for the shares 0, 1/4, … 5/4; more than all is asked for where
  /// the launch floor makes a little more of a share.
  static constexpr size_t steps = 4, points = steps + 2;
  static constexpr double shareAt(size_t point) {
    return double(point) / double(steps);
  }

  /// Far below all that is known.
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
