// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_BUILTINDEVICES_H
#define SHARDSMITH_LIB_CLUSTER_BUILTINDEVICES_H

#include "shardsmith/Cluster/Cluster.h"

#include <span>

namespace shardsmith::cluster {

/// An accelerator and what usually connects it. Figures that are unknown are
/// zero.
struct BuiltinDevice {
  const char *name;
  const char *kind;
  const char *arch;
  /// Whose fitted constants it has; null for none.
  const char *fits;
  double memoryGib, terabytesPerSecond;
  /// Dense TFLOP/s.
  double f32, tf32, f16, bf16, f8, f4;
  /// Sustained share of the peak of large matrix products.
  double matmulEfficiency;
  double watts, dollarsPerHour;
  /// In a node; `topology` as in cluster files, a torus for those that have
  /// nothing but a torus.
  const char *topology;
  const char *link;
  const char *linkKind;
  double linkGigabytesPerSecond, linkMicroseconds, linkEfficiency;
  /// Devices that the link reaches; links of each device in a torus.
  int64_t perNode;
  /// One network interface per device.
  double nicGigabytesPerSecond;
  double hostGigabytesPerSecond;

  bool isTorus() const {
    return std::string_view(topology).starts_with("torus");
  }
};

std::span<const BuiltinDevice> builtinDevices();
/// By name or by a name people use for it; null if there is none.
const BuiltinDevice *findBuiltinDevice(std::string_view name);

DeviceType makeDeviceType(const BuiltinDevice &device);
/// The link in a node.
LinkType makeLinkType(const BuiltinDevice &device);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_BUILTINDEVICES_H
