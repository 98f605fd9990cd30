// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/LaunchFloor.h"
#include "../Scale.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <algorithm>
#include <cmath>

namespace shardsmith {

using namespace workload;

// The host's time grows with the number of kernels it launches; the profile
// gives it for the block that has most.
LaunchFloor::LaunchFloor(const Workload &workload, BlockIndex index,
                         const KernelTimes &kernels)
    : selectiveLaunches(kernels.profile().selectiveKeepsProducts) {
  const StackProfile &profile = kernels.profile();
  const std::vector<Op> &ops = workload.blocks[index].ops;
  size_t most = 1;
  for (const Block &other : workload.blocks)
    most = std::max(most, other.ops.size());
  forwardFloor =
      scaled(kernels.layerFloor(), double(ops.size()) / double(most));
  Nanoseconds perMixture(std::llround(profile.expertLayerMicroseconds * 1e3));
  forwardFloor += perMixture * std::ranges::count_if(ops, [](const Op &op) {
                    return op.exchange && op.exchange->isToExperts;
                  });
  backwardFloor = scaled(forwardFloor, profile.layerBackwardRatio);
  forwardGaps = scaled(forwardFloor, profile.kernelGapRatio);
  backwardGaps = scaled(backwardFloor, profile.kernelGapRatio);
}

namespace {

/// The time of a pass whose kernels take `device` and whose launches take
/// `host`: some kernels wait for the host, and some make it wait. The result
/// grows with both.
Nanoseconds combined(Nanoseconds device, Nanoseconds host) {
  if (host.count() <= 0 || device.isSaturated())
    return device;
  double longer = double(std::max(device, host).count());
  double shorter = double(std::min(device, host).count());
  double ratio = shorter / longer;
  return scaled(std::max(device, host), std::cbrt(1 + ratio * ratio * ratio));
}

} // namespace

// The host's time applies to forward and backward together, so that a layout
// with less time in all never ends up with more.
UnitCosts LaunchFloor::finish(UnitCosts sum) const {
  sum.forward += forwardGaps;
  sum.backwardInput += backwardGaps;
  Nanoseconds forward = sum.forward + sum.forwardCommunication.sum();
  Nanoseconds both = forward + sum.backwardInput + sum.backwardWeight +
                     sum.backwardCommunication.sum();
  if ((both + forward).isSaturated())
    return sum;
  Nanoseconds floor = forwardFloor + backwardFloor;
  Nanoseconds total = combined(both, floor);
  // The shorter pass waits first.
  Nanoseconds waits = total - both;
  Nanoseconds forwardWaits =
      std::clamp(forwardFloor - forward, Nanoseconds(0), waits);
  sum.forward += forwardWaits;
  sum.backwardInput += waits - forwardWaits;
  // Adds the launches of recomputation: those of a whole pass with `isPass`,
  // else those of attention.
  auto again = [&](Recompute choice, bool isPass) {
    Nanoseconds &time = sum.recompute[size_t(choice)];
    Nanoseconds device = isPass ? time + forwardGaps : time;
    Nanoseconds host = isPass ? floor + forwardFloor : floor;
    time = combined(both + device, host) - total;
  };
  again(Recompute::Selective, selectiveLaunches);
  again(Recompute::Full, true);
  return sum;
}

// Full recomputation adds its launches to a pass that does not wait for the
// host, and its kernels to one that does not make it wait; in between it adds
// at least the lesser of both.
UnitCosts LaunchFloor::finishLeast(UnitCosts least) const {
  UnitCosts finished = finish(least);
  if (finished == least)
    return least;
  constexpr Nanoseconds rounding(2);
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    Nanoseconds kernels = least.recompute[choice];
    if (Recompute(choice) == Recompute::Full)
      kernels += forwardGaps;
    least.recompute[choice] =
        std::max(std::min(finished.recompute[choice], kernels) - rounding,
                 Nanoseconds());
  }
  least.forward += forwardGaps;
  least.backwardInput += backwardGaps;
  return least;
}

Nanoseconds LaunchFloor::finished(Nanoseconds device) const {
  return combined(device + forwardGaps + backwardGaps,
                  forwardFloor + backwardFloor);
}

// `device` includes the kernels of recomputation, so only their launches are
// added.
Nanoseconds LaunchFloor::finished(Nanoseconds device, Recompute choice) const {
  if (device.isSaturated() || choice == Recompute::None)
    return finished(device);
  UnitCosts sum;
  sum.backwardInput = device;
  return finished(device) + finish(sum).recompute[size_t(choice)];
}

Nanoseconds LaunchFloor::longestDevice(Nanoseconds time) const {
  if (time.isSaturated())
    return time;
  auto cube = [](Nanoseconds each) {
    return std::pow(double(each.count()), 3);
  };
  double left =
      cube(time + Nanoseconds(1)) - cube(forwardFloor + backwardFloor);
  if (left < 0)
    return Nanoseconds(-1);
  return Nanoseconds(int64_t(std::cbrt(left) * (1 + 1e-12)) + 1) -
         (forwardGaps + backwardGaps);
}

double LaunchFloor::growth(Nanoseconds device, bool isLaunchedAgain) const {
  Nanoseconds launches = forwardFloor + backwardFloor;
  if (isLaunchedAgain)
    launches += forwardFloor;
  Nanoseconds busy = device + forwardGaps + backwardGaps;
  if (launches.count() <= 0)
    return 1;
  if (busy.count() <= 0)
    return 0;
  double ratio = double(launches.count()) / double(busy.count());
  return std::pow(1 + ratio * ratio * ratio, -2.0 / 3);
}

} // namespace shardsmith
