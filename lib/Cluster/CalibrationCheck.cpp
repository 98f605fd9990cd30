// SPDX-License-Identifier: Apache-2.0

#include "ClusterCheck.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::cluster {
namespace {

bool isScope(const Cluster &cluster, const std::string &scope) {
  if (scope == "*")
    return true;
  for (const Group &group : cluster.groups)
    if (scope == group.name || scope == group.name + ".node")
      return true;
  return false;
}

/// Sizes rise, and no time is below what the fastest link needs. Bandwidth
/// and times that fall with size are repaired: more bytes never take less.
void checkPoints(const Cluster &cluster, Calibration &entry,
                 const std::string &pointer, std::vector<ClusterIssue> &errors,
                 std::vector<ClusterIssue> &warnings) {
  if (entry.points.size() < 2) {
    errors.push_back({pointer, fmt::format("expected two points or more, found "
                                           "{}",
                                           entry.points.size())});
    return;
  }
  double fastest = 0;
  for (const auto &[name, link] : cluster.linkTypes)
    fastest = std::max(fastest, link.bytesPerSecond);
  double bandwidth = 0, longest = 0;
  bool bandwidthFalls = false, timeFalls = false;
  for (size_t i = 0; i < entry.points.size(); ++i) {
    CalibrationPoint &point = entry.points[i];
    std::string place = fmt::format("{}/{}", pointer, i);
    if (i > 0 && point.bytes <= entry.points[i - 1].bytes) {
      errors.push_back(
          {place, fmt::format("sizes must rise, found {} after {}", point.bytes,
                              entry.points[i - 1].bytes)});
      return;
    }
    // No collective moves a tensor faster than every device's own link moves
    // its share.
    double floor = double(point.bytes) /
                   (fastest * double(std::max<int64_t>(entry.groupSize, 1)));
    if (fastest > 0 && point.seconds < floor) {
      errors.push_back(
          {place, fmt::format("{} us are less than the fastest link needs "
                              "({:.3g} us)",
                              point.seconds * 1e6, floor * 1e6)});
      return;
    }
    double measured = double(point.bytes) / point.seconds;
    if (measured < bandwidth) {
      point.seconds = double(point.bytes) / bandwidth;
      bandwidthFalls = true;
    }
    bandwidth = std::max(bandwidth, measured);
    timeFalls |= point.seconds < longest;
    longest = point.seconds = std::max(point.seconds, longest);
  }
  if (timeFalls)
    warnings.push_back({pointer, "time falls with size; replaced by the "
                                 "running maximum"});
  if (bandwidthFalls)
    warnings.push_back({pointer, "bandwidth falls with size; replaced by the "
                                 "running maximum"});
}

} // namespace

void checkCalibration(Cluster &cluster, std::vector<ClusterIssue> &errors,
                      std::vector<ClusterIssue> &warnings) {
  for (size_t index = 0; index < cluster.calibration.size(); ++index) {
    Calibration &entry = cluster.calibration[index];
    std::string pointer = fmt::format("/calibration/{}", index);
    if (!isScope(cluster, entry.scope))
      errors.push_back({pointer + "/scope",
                        fmt::format("unknown scope \"{}\"; expected a group, "
                                    "\"group.node\" or \"*\"",
                                    entry.scope)});
    checkPoints(cluster, entry, pointer + "/points_bytes_us", errors, warnings);
  }
}

} // namespace shardsmith::cluster
