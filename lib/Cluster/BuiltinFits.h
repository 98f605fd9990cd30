// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_BUILTINFITS_H
#define SHARDSMITH_LIB_CLUSTER_BUILTINFITS_H

#include <cstdint>
#include <span>

namespace shardsmith::cluster {

/// `MatmulFit` of a built-in device.
struct DeviceMatmulFit {
  const char *device;
  const char *type;
  double peakShare, rows, columns, depth, memoryShare, baseMicroseconds, power;
};

/// `AttentionFit` of a built-in device.
struct DeviceAttentionFit {
  const char *device;
  int64_t headSize;
  double teraflops, halfRateLength, halfRateRows, baseMicroseconds, memoryShare;
};

/// `CollectiveFit` of the links in a node of the device.
struct NodeCollectiveFit {
  const char *device;
  const char *collective;
  int64_t members;
  double latencyMicroseconds, gigabytesPerSecond, power;
};

std::span<const DeviceMatmulFit> builtinMatmulFits();
std::span<const DeviceAttentionFit> builtinAttentionFits();
std::span<const NodeCollectiveFit> builtinCollectiveFits();

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_BUILTINFITS_H
