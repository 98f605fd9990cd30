// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/Checkpoints.h"

#include "shardsmith/Cost/Step/StepModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsmith {

namespace {

template <typename Amount> Amount rounded(double amount) {
  return amount < 9.2e18 ? Amount(int64_t(std::llround(amount)))
                         : Amount::saturated();
}

/// Bytes per second that all nodes together store if each has as much to store:
/// the slowest one counts. 0 if that of some node is unknown.
double storageOf(const Cluster &cluster, int64_t ranks) {
  double slowest = std::numeric_limits<double>::infinity();
  int64_t nodes = 0;
  std::optional<DevicePosition> last;
  for (int64_t device : cluster.usableDevices()) {
    if (ranks-- == 0)
      break;
    DevicePosition here = positionOf(cluster, device);
    if (last && last->group == here.group && last->copy == here.copy &&
        last->node == here.node)
      continue;
    ++nodes;
    slowest = std::min(slowest,
                       cluster.groups[here.group].node.storageBytesPerSecond);
    last = here;
  }
  return double(nodes) * slowest;
}

} // namespace

std::optional<Checkpoints> checkpointsOf(const CostContext &context,
                                         const Strategy &strategy) {
  const Cluster &cluster = context.topology.cluster();
  double perHour =
      cluster.limits.failuresPerDeviceHour * double(strategy.rankCount());
  if (perHour <= 0)
    return std::nullopt;
  constexpr double second = 1e9, hour = 3600 * second;
  double bytes = double(context.workload.parameterCount()) *
                 (StepModel::parameterBytes(context) +
                  context.profile.stateBytesPerParameter);
  double untilFailure = hour / perHour;

  Checkpoints result;
  result.size = rounded<Bytes>(bytes);
  result.untilFailure = rounded<Nanoseconds>(untilFailure);
  double storage = storageOf(cluster, strategy.rankCount());
  if (storage <= 0)
    return result;
  double writing = bytes / storage * second;
  double interval = std::sqrt(2 * writing * untilFailure);
  double lost = writing / interval + (interval / 2 + writing) / untilFailure;
  result.times = {rounded<Nanoseconds>(writing), rounded<Nanoseconds>(interval),
                  std::min(lost, 1.0)};
  return result;
}

} // namespace shardsmith
