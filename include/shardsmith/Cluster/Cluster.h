// SPDX-License-Identifier: Apache-2.0
//
// The machines a plan targets: device types, links, how they are put
// together, measured collectives, and limits. docs/cluster.md describes the
// file format; a Cluster that came out of `readCluster` satisfies its rules.

#ifndef SHARDSMITH_CLUSTER_CLUSTER_H
#define SHARDSMITH_CLUSTER_CLUSTER_H

#include "shardsmith/Support/Quantity.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith {

/// Where a number comes from; printed next to it.
enum class Provenance {
  /// The maker's figure.
  Datasheet,
  /// Fitted to public measurements.
  Calibrated,
  /// Measured on the machine itself.
  Measured,
  /// Derived from what the operating system reports about the machine.
  Estimated,
  /// Written in a cluster file by the user.
  Given,
};
std::string_view toString(Provenance provenance);

/// Time of matrix products of one element type, fitted to measured ones:
///
///   base + (arithmetic^power + memory^power)^(1/power)
///   arithmetic = 2mnk (1 + m0/m + n0/n + k0/k) / (peak · peakShare)
///   memory     = (mk + kn + mn) · element size / (bandwidth · memoryShare)
struct MatmulFit {
  double peakShare = 0.5;
  double rows = 0, columns = 0, depth = 0;
  double memoryShare = 0.8;
  double baseSeconds = 0;
  double power = 4;

  bool operator==(const MatmulFit &) const = default;
};

/// Time of fused causal attention, forward, for one head size, fitted to
/// measured kernels:
///
///   base + (arithmetic^4 + memory^4)^(1/4)
///   arithmetic = flops (1 + s0/s + r0/rows) / rate
///   memory     = bytes of operands and result / (bandwidth · memoryShare)
///
/// for s positions and rows = sequences · heads · s.
struct AttentionFit {
  int64_t headSize = 128;
  double flopsPerSecond = 0;
  double halfRateLength = 0, halfRateRows = 0;
  double memoryShare = 0.8;
  double baseSeconds = 0;

  bool operator==(const AttentionFit &) const = default;
};

struct DeviceType {
  std::string kind = "gpu";
  std::string arch;
  Bytes memory;
  Bytes reserved;
  double bytesPerSecond = 0;
  /// Element type (MLIR name, or tf32) to operations per second.
  std::map<std::string, double> flopsPerSecond;
  double matmulEfficiency = 0.5;
  double memoryEfficiency = 0.8;
  /// By element type; types without one have `matmulEfficiency` of the peak.
  std::map<std::string, MatmulFit> matmulFits;
  /// By rising head size; empty if unknown.
  std::vector<AttentionFit> attentionFits;
  Nanoseconds launch;
  Bytes cache;
  int64_t copyEngines = 1;
  int64_t streams = 4;
  std::optional<double> dollarsPerHour;
  std::optional<double> watts;
};

/// Time of a collective among `members` devices on a switch of such links,
/// fitted to measured ones: (latency^power + (phi ·
/// S/bandwidth)^power)^(1/power) for S bytes in the whole tensor, phi =
/// 2(n-1)/n for all-reduce, (n-1)/n for the others.
struct CollectiveFit {
  std::string collective;
  int64_t members = 2;
  double latencySeconds = 0;
  double bytesPerSecond = 0;
  double power = 1;

  bool operator==(const CollectiveFit &) const = default;
};

struct LinkType {
  std::string kind = "other";
  double bytesPerSecond = 0;
  double latencySeconds = 0;
  double messageSeconds = 0;
  bool duplex = true;
  double efficiency = 0.9;
  bool multicast = false;
  double loss = 0;
  int64_t tcpStreams = 1;
  double egressDollarsPerGib = 0;
  /// By collective, then by rising number of members.
  std::vector<CollectiveFit> collectiveFits;

  /// Bytes per second of one flow. Long lossy links are bound by TCP: a stream
  /// carries 1.22 segments per round trip and square root of the loss rate
  /// (Mathis et al., 1997).
  double flowBandwidth() const;
};

struct DeviceSlot {
  std::string type;
  int64_t count = 1;
};

struct Node {
  int64_t count = 1;
  std::vector<DeviceSlot> devices;
  std::string fabricTopology = "switch";
  std::string fabricLink;
  std::vector<int64_t> islands;
  std::string nicLink;
  int64_t nicCount = 0;
  std::string nicAffinity = "shared";
  double hostMemoryGib = 0;
  int64_t hostCores = 0;
  double hostPcieBytesPerSecond = 0;
  double storageBytesPerSecond = 0;

  int64_t deviceCount() const;
};

struct Network {
  std::string topology = "fat-tree";
  std::string link;
  double oversubscription = 1;
  int64_t rails = 1;
  std::vector<int64_t> dims;
};

struct Group {
  std::string name;
  int64_t count = 1;
  Network network;
  Node node;

  int64_t deviceCount() const {
    return count * node.count * node.deviceCount();
  }
};

struct Interconnect {
  std::string first;
  std::string second;
  std::string link;
  int64_t parallel = 1;
};

struct LinkOverride {
  std::string from;
  std::string to;
  bool oneway = false;
  bool down = false;
  std::optional<double> scale;
  std::optional<std::string> link;
};

struct CalibrationPoint {
  int64_t bytes = 0;
  double seconds = 0;
};

struct Calibration {
  std::string collective;
  /// `group.node`, `group` or `*`.
  std::string scope;
  int64_t groupSize = 0;
  std::string dtype;
  std::vector<CalibrationPoint> points;

  /// Log-linear between the points; beyond the last one with its bandwidth.
  double seconds(double bytes) const;
};

/// What plans may use: of the devices that are not excluded, in the order of
/// ids, as many as each of the limits is enough for.
struct Limits {
  /// For all devices that plans may use, working or idle.
  std::optional<double> dollarsPerHour;
  /// Of the devices alone, by their `watts`.
  std::optional<double> kilowatts;
  std::vector<std::string> exclude;
  std::optional<int64_t> maxDevices;
  double failuresPerDeviceHour = 0;
};

struct Cluster {
  std::string name;
  std::map<std::string, DeviceType> deviceTypes;
  std::map<std::string, LinkType> linkTypes;
  std::vector<Group> groups;
  std::vector<Interconnect> interconnects;
  std::vector<LinkOverride> links;
  std::map<std::string, std::vector<std::string>> algorithms;
  std::vector<Calibration> calibration;
  Limits limits;
  Provenance provenance = Provenance::Given;
  /// What `hash` covers instead of all fields, for clusters whose figures
  /// vary from one look to the next (the clock of this machine).
  std::string identity;

  /// Devices in the file, excluded ones included.
  int64_t deviceCount() const;
  /// Ids of the devices that plans may use, ascending.
  std::vector<int64_t> usableDevices() const;
  /// Without its limits of money and power.
  Cluster withoutBudgets() const;
  /// Why the limits make no sense, with a JSON pointer: what they count is
  /// unknown for some device, or they leave none. Empty if they do.
  std::string limitsProblem() const;
  const DeviceType &deviceType(int64_t device) const;
  /// No device is an accelerator.
  bool hasOnlyProcessors() const;
  /// The id behind `group[i].n[j].d[k]`, if the path is well-formed and in
  /// range.
  std::optional<int64_t> resolve(std::string_view path) const;
  /// The first device of the node behind `group[i].n[j].nic[k]`, likewise.
  std::optional<int64_t> resolveInterface(std::string_view path) const;

  /// By the calibration curve for this collective, scope and number of members,
  /// if there is one; `bytes` is the whole tensor.
  std::optional<double> measuredSeconds(std::string_view collective,
                                        std::string_view scope, int64_t members,
                                        double bytes) const;

  /// The cluster in canonical form: same cluster, same text.
  std::string toJson() const;
  /// Sixteen hexadecimal digits over what affects plans.
  std::string hash() const;
};

/// Where a device sits: the group in file order, the copy of the group, the
/// node and the position in the node.
struct DevicePosition {
  size_t group = 0;
  int64_t copy = 0;
  int64_t node = 0;
  int64_t local = 0;
};
DevicePosition positionOf(const Cluster &cluster, int64_t device);

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_CLUSTER_H
