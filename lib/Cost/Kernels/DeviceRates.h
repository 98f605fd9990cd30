// SPDX-License-Identifier: Apache-2.0
//
// Rates of a device by element type.

#ifndef SHARDSMITH_LIB_COST_KERNELS_DEVICERATES_H
#define SHARDSMITH_LIB_COST_KERNELS_DEVICERATES_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Workload/Workload.h"

namespace shardsmith::cost {

/// Fractions of a byte exist.
double bytesOf(workload::ElementType type);

/// Peak of a type; types that the device does not list fall back to those that
/// compute them, at last to an eighth of its largest peak.
double peakOf(const DeviceType &device, workload::ElementType type);

/// The device's constants for products of a type, or what follows from its
/// efficiencies.
MatmulFit matmulFitOf(const DeviceType &device, workload::ElementType type);

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_KERNELS_DEVICERATES_H
