// SPDX-License-Identifier: Apache-2.0
//
// The launch floor of a unit: the host launches its kernels one by one, so a
// unit takes at least that long. Some kernels wait for the host, some make it
// wait; the time of a unit is a smooth maximum of both.

#ifndef SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H
#define SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H

#include "shardsmith/Cost/Kernels/KernelTimes.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/Workload.h"

namespace shardsmith {

struct UnitCosts;

/// The launch floor of one block on one device kind, under any setting.
/// docs/step-time.md has the formulas.
class LaunchFloor {
public:
  LaunchFloor(const workload::Workload &workload, workload::BlockIndex block,
              const KernelTimes &kernels);

  /// Turns the sums over the kernels and exchanges of a unit into what the unit
  /// takes.
  UnitCosts finish(UnitCosts sum) const;
  /// A lower bound on `finish` of any sums none of whose numbers is below that
  /// of `least`. How the floor is divided between the passes depends on the
  /// sums, so the bound adds it to neither.
  UnitCosts finishLeast(UnitCosts least) const;
  /// The time of both passes together after `finish`, without recomputation: a
  /// growing and convex function of the time on the device.
  Nanoseconds finished(Nanoseconds device) const;
  /// The same with recomputation; `device` includes its time.
  Nanoseconds finished(Nanoseconds device, Recompute choice) const;
  /// The inverse of `finished`: the most time on the device for which both
  /// passes take at most `time`, rounded up; negative if `time` is too short
  /// for the host alone.
  Nanoseconds longestDevice(Nanoseconds time) const;
  /// The derivative of `finished` at `device`; if passes may be launched again,
  /// a lower bound on the derivative with any way of recomputing.
  double growth(Nanoseconds device, bool isLaunchedAgain) const;
  /// The most that `finish` adds to the forward pass.
  Nanoseconds longestForwardWait() const { return forwardFloor + forwardGaps; }

private:
  /// The time of the launches on the host, and the idle time of the device
  /// between kernels.
  Nanoseconds forwardFloor, backwardFloor, forwardGaps, backwardGaps;
  /// Whether selective recomputation launches other kernels than those of
  /// attention again.
  bool selectiveLaunches;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H
