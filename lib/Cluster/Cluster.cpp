// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/Cluster.h"

#include "UsableDevices.h"

#include "shardsmith/Support/Hash.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace shardsmith {

std::string_view toString(Provenance provenance) {
  switch (provenance) {
  case Provenance::Datasheet:
    return "datasheet";
  case Provenance::Calibrated:
    return "calibrated";
  case Provenance::Measured:
    return "measured";
  case Provenance::Estimated:
    return "estimated";
  case Provenance::Given:
    return "given";
  }
  return "given";
}

bool Cluster::hasOnlyProcessors() const {
  return std::ranges::all_of(deviceTypes, [](const auto &entry) {
    return entry.second.kind == "cpu";
  });
}

double LinkType::flowBandwidth() const {
  double bandwidth = bytesPerSecond * efficiency;
  if (!duplex)
    bandwidth /= 2;
  if (loss > 0 && latencySeconds > 0) {
    constexpr double segmentBytes = 1460;
    double perStream =
        1.22 * segmentBytes / (2 * latencySeconds * std::sqrt(loss));
    bandwidth = std::min(bandwidth, double(tcpStreams) * perStream);
  }
  return bandwidth;
}

double Calibration::seconds(double bytes) const {
  if (bytes <= double(points.front().bytes))
    return points.front().seconds;
  if (bytes >= double(points.back().bytes))
    return points.back().seconds * bytes / double(points.back().bytes);
  auto next =
      std::lower_bound(points.begin(), points.end(), bytes,
                       [](const CalibrationPoint &point, double wanted) {
                         return double(point.bytes) < wanted;
                       });
  auto previous = std::prev(next);
  double low = std::log(double(std::max<int64_t>(previous->bytes, 1)));
  double part = (std::log(bytes) - low) / (std::log(double(next->bytes)) - low);
  return std::exp(std::log(previous->seconds) * (1 - part) +
                  std::log(next->seconds) * part);
}

int64_t Node::deviceCount() const {
  int64_t total = 0;
  for (const DeviceSlot &slot : devices)
    if (__builtin_add_overflow(total, slot.count, &total))
      return INT64_MAX;
  return total;
}

int64_t Cluster::deviceCount() const {
  int64_t total = 0;
  for (const Group &group : groups)
    total += group.deviceCount();
  return total;
}

std::vector<int64_t> Cluster::usableDevices() const {
  cluster::UsableDevices usable(*this);
  std::vector<int64_t> devices;
  for (int64_t device = 0; device < deviceCount(); ++device)
    if (usable.contains(device))
      devices.push_back(device);
  return devices;
}

std::optional<double> Cluster::measuredSeconds(std::string_view collective,
                                               std::string_view scope,
                                               int64_t members,
                                               double bytes) const {
  for (const Calibration &curve : calibration)
    if (curve.collective == collective && curve.groupSize == members &&
        (curve.scope == "*" || curve.scope == scope))
      return curve.seconds(bytes);
  return std::nullopt;
}

/// Depth-first: groups in file order, copies, nodes, devices of a node.
DevicePosition positionOf(const Cluster &cluster, int64_t device) {
  DevicePosition position;
  while (position.group + 1 < cluster.groups.size() &&
         device >= cluster.groups[position.group].deviceCount())
    device -= cluster.groups[position.group++].deviceCount();
  const Group &group = cluster.groups[position.group];
  int64_t perNode = group.node.deviceCount();
  position.local = device % perNode;
  position.node = device / perNode % group.node.count;
  position.copy = device / perNode / group.node.count;
  return position;
}

const DeviceType &Cluster::deviceType(int64_t device) const {
  DevicePosition position = positionOf(*this, device);
  const auto &slots = groups[position.group].node.devices;
  size_t slot = 0;
  while (slot + 1 < slots.size() && position.local >= slots[slot].count)
    position.local -= slots[slot++].count;
  return deviceTypes.at(slots[slot].type);
}

namespace {

/// Reads `prefix` + `[number]` off the front of `text`.
std::optional<int64_t> takeIndex(std::string_view &text,
                                 std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() <= prefix.size() ||
      text[prefix.size()] != '[')
    return std::nullopt;
  const char *begin = text.data() + prefix.size() + 1;
  int64_t index = 0;
  auto [end, error] = std::from_chars(begin, text.data() + text.size(), index);
  if (error != std::errc() || end == text.data() + text.size() || *end != ']' ||
      index < 0)
    return std::nullopt;
  text.remove_prefix(end + 1 - text.data());
  return index;
}

/// `group[i].n[j]` + `.part[k]`, with k below what `countParts` says of the
/// node.
struct PartPath {
  int64_t firstDevice = 0;
  int64_t part = 0;
};

template <typename CountParts>
std::optional<PartPath>
resolvePart(const std::vector<Group> &groups, std::string_view path,
            std::string_view part, CountParts countParts) {
  int64_t base = 0;
  for (const Group &group : groups) {
    std::string_view rest = path;
    std::optional<int64_t> copy = takeIndex(rest, group.name);
    if (!copy) {
      base += group.deviceCount();
      continue;
    }
    std::optional<int64_t> node = takeIndex(rest, ".n");
    std::optional<int64_t> local = node ? takeIndex(rest, part) : node;
    bool isInRange = local && rest.empty() && *copy < group.count &&
                     *node < group.node.count &&
                     *local < countParts(group.node);
    if (!isInRange)
      return std::nullopt;
    return PartPath{base + (*copy * group.node.count + *node) *
                               group.node.deviceCount(),
                    *local};
  }
  return std::nullopt;
}

} // namespace

std::optional<int64_t> Cluster::resolve(std::string_view path) const {
  auto found = resolvePart(groups, path, ".d",
                           [](const Node &node) { return node.deviceCount(); });
  if (!found)
    return std::nullopt;
  return found->firstDevice + found->part;
}

std::optional<int64_t> Cluster::resolveInterface(std::string_view path) const {
  auto found = resolvePart(groups, path, ".nic",
                           [](const Node &node) { return node.nicCount; });
  if (!found)
    return std::nullopt;
  return found->firstDevice;
}

std::string Cluster::hash() const {
  return toDigits(hashText(identity.empty() ? toJson() : identity));
}

} // namespace shardsmith
