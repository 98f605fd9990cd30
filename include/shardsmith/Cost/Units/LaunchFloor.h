// SPDX-License-Identifier: Apache-2.0
//
// What the host's launches make of a unit's time on the device: some kernels
// wait for the host, some make it wait.

#ifndef SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H
#define SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H

#include "shardsmith/Cost/Kernels/KernelTimes.h"
#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Workload/Workload.h"

namespace shardsmith {

struct UnitCosts;

/// Of one block on one kind of device, under any setting. docs/step-time.md
/// has the formulas.
class LaunchFloor {
public:
  LaunchFloor(const workload::Workload &workload, workload::BlockIndex block,
              const KernelTimes &kernels);

  /// Sums over a unit's kernels and exchanges become what the unit takes.
  UnitCosts finish(UnitCosts sum) const;
  /// What `finish` makes at least of any sums that have no number less than
  /// `least` has. How the floor is shared between forward and backward differs,
  /// so neither waits here.
  UnitCosts finishLeast(UnitCosts least) const;
  /// What `finish` makes of both passes together, without recomputation. Grows
  /// with what the device takes, and the more the more that is.
  Nanoseconds finished(Nanoseconds device) const;
  /// The same with recomputation, if `device` has the time of that, too.
  Nanoseconds finished(Nanoseconds device, Recompute choice) const;
  /// The most that the device may take without; less than nothing if `time` is
  /// too short for the host alone. Rounded up.
  Nanoseconds longestDevice(Nanoseconds time) const;
  /// How much `finished` grows per nanosecond of the device's time at `device`,
  /// and, if passes may be launched again, how much the time with any way of
  /// recomputing does at least.
  double growth(Nanoseconds device, bool isLaunchedAgain) const;
  /// The most that `finish` adds to the forward pass.
  Nanoseconds longestForwardWait() const { return forwardFloor + forwardGaps; }

private:
  /// The host's launches, and what the device idles between the kernels.
  Nanoseconds forwardFloor, backwardFloor, forwardGaps, backwardGaps;
  /// Selective recomputation launches kernels again, not attention's alone.
  bool selectiveLaunches;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_LAUNCHFLOOR_H
