// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which layouts are compared for schedules that treat the passes
// differently, and where kernels hide the exchange of parameters. Per unit and
// way of recomputing the other ranks wait for
//
//     idle = a · time - b · backwardWeight - d · forward,    a >= 1, b, d >= 0
//
// where `time` is that of both passes. A layout dominates another one if none
// of the plain numbers is larger and its idle is not larger, whatever else the
// block has.
//
// Parts of layouts are compared before the launch floor is applied. The floor
// shortens differences between times to a share s of them at least. It does not
// shorten differences between gradients of parameters, and may or may not
// shorten those between forward passes. So a layout that takes no more time is
// no worse in idle if either
//  - its backward pass of parameters and its forward pass take no less, or
//  - s · a · time - b · backwardWeight is less, with and without d · forward
//    subtracted, by more than finished times are rounded.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_IDLESUMS_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_IDLESUMS_H

#include "ParetoFront.h"

#include "shardsmith/Plan/Blocks/IdleTable.h"

namespace shardsmith::blocks {

struct IdleSums {
  static constexpr size_t firstIdle = PlainSums::count;
  /// Idle for each way of recomputing, once without and once with what the
  /// forward pass makes others wait.
  static constexpr size_t idleCount = 2 * recomputeChoices;
  static constexpr size_t weight = firstIdle + idleCount;
  static constexpr size_t forward = weight + 1;
  static constexpr size_t communication = forward + 1;
  static constexpr size_t count = communication + 1;
  std::array<int64_t, count> values = {};

  void add(const IdleSums &other) { addUp(values, other.values); }
  bool noWorseThan(const IdleSums &other) const {
    for (size_t i = 0; i < firstIdle; ++i)
      if (values[i] > other.values[i])
        return false;
    if (values[communication] > other.values[communication])
      return false;
    if (values[weight] >= other.values[weight] &&
        values[forward] >= other.values[forward])
      return true;
    for (size_t i = firstIdle; i < weight; ++i)
      if (values[i] > other.values[i] - rounding)
        return false;
    return true;
  }
  auto operator<=>(const IdleSums &) const = default;

  /// Parts of a nanosecond of `time` in idle.
  static constexpr int64_t scale = int64_t(1) << 16;
  /// The largest difference that rounding two finished times and two forward
  /// passes makes.
  static constexpr int64_t rounding = 4 * scale;
};

/// The idle of parts of a layout, and of a finished layout, which has the
/// launch floor.
class IdleNumbers {
public:
  /// `growth`: s above.
  IdleNumbers(const IdleMeasure &measure, double growth);

  /// Sets idle and what it is made of. Times with ways of recomputing that are
  /// not allowed count nothing.
  void set(IdleSums &sums, const UnitCosts &costs, bool isFinished) const;

private:
  /// What a nanosecond of each time counts, in units of 1 / `scale`.
  int64_t inTime, inTimeOfParts, inWeight, inForward;
  bool countsCommunication;
  std::array<bool, recomputeChoices> allowed;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_IDLESUMS_H
