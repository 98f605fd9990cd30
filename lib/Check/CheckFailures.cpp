// SPDX-License-Identifier: Apache-2.0

#include "Legality.h"

#include <cmath>
#include <set>
#include <tuple>

namespace shardsmith::check {
namespace {

/// Whole nanoseconds and bytes are rounded; so are numbers in JSON.
constexpr double rounding = 1e-6;

/// Seconds in which every node of the plan has stored its part; nothing if the
/// cluster does not say.
std::optional<double> secondsToStore(const Cluster &cluster, int64_t ranks,
                                     double bytes) {
  std::set<std::tuple<size_t, int64_t, int64_t>> nodes;
  double longest = 0;
  std::vector<int64_t> devices = cluster.usableDevices();
  devices.resize(std::min(devices.size(), static_cast<size_t>(ranks)));
  for (int64_t device : devices) {
    DevicePosition place = positionOf(cluster, device);
    nodes.emplace(place.group, place.copy, place.node);
  }
  for (const auto &node : nodes) {
    const Node &machine = cluster.groups[std::get<0>(node)].node;
    if (machine.storageBytesPerSecond <= 0)
      return std::nullopt;
    double part = bytes / static_cast<double>(nodes.size());
    longest = std::max(longest, part / machine.storageBytesPerSecond);
  }
  return longest;
}

} // namespace

void checkFailures(const CheckInputs &inputs, const ClusterTopology &topology,
                   const Claims &claims, Findings &findings) {
  std::map<std::string, double> expected;
  const Cluster &cluster = topology.cluster();
  int64_t ranks = claims.strategy.rankCount();
  double rate = cluster.limits.failuresPerDeviceHour;
  if (rate > 0) {
    // Parameters are kept in 16 bits or more; the profile knows the rest.
    int64_t bits = bitsOf(inputs.workload.computeType);
    double each = bits > 16 ? static_cast<double>(bits) / 8 : 2;
    each += inputs.profile.stateBytesPerParameter;
    double bytes = each * static_cast<double>(inputs.workload.parameterCount());
    double secondsBetween = 3600 / (rate * static_cast<double>(ranks));
    expected["/checkpoints/bytes"] = bytes;
    expected["/checkpoints/until_failure_ns"] = secondsBetween * 1e9;
    if (auto seconds = secondsToStore(cluster, ranks, bytes)) {
      // Half an interval of work is lost per failure, and the last checkpoint
      // read; as much goes into writing as into what is lost.
      double share = std::sqrt(2 * *seconds / secondsBetween);
      expected["/checkpoints/times/writing_ns"] = *seconds * 1e9;
      expected["/checkpoints/times/interval_ns"] = share * secondsBetween * 1e9;
      expected["/checkpoints/times/lost"] =
          std::min(1.0, share + *seconds / secondsBetween);
    }
  }
  for (const auto &[item, value] : expected) {
    auto claimed = claims.checkpoints.find(item);
    // A share is no whole number.
    double allowance = item.ends_with("lost") ? rounding : rounding * value + 1;
    if (claimed == claims.checkpoints.end())
      findings.broken(item, "is missing; it is {}", value);
    else if (value < 9e18 && std::abs(claimed->second - value) > allowance)
      findings.differs(item, claimed->second, value);
  }
  for (const auto &[item, value] : claims.checkpoints)
    if (!expected.contains(item))
      findings.broken(item, "has no counterpart: {}",
                      rate > 0 ? "the cluster does not say how fast nodes store"
                               : "the cluster's devices do not fail");
}

} // namespace shardsmith::check
