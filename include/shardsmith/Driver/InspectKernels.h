// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a plan move and need on a device, without a device.

#ifndef SHARDSMITH_DRIVER_INSPECTKERNELS_H
#define SHARDSMITH_DRIVER_INSPECTKERNELS_H

#include "shardsmith/Driver/ProgramPlan.h"
#include "shardsmith/Lower/CUDA/KernelResources.h"
#include "shardsmith/Lower/CUDA/KernelTraffic.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

class Session;

struct KernelReport {
  std::string name;
  /// Ops of the program that launch it.
  int64_t launches = 0;
  lower::KernelTraffic traffic;
  /// What `estimateTraffic` could not follow, if it could not: of `traffic`
  /// only the function's shape is known then.
  std::string unknownBecause;
  bool isTrafficKnown() const { return unknownBecause.empty(); }
  /// Of the chip, where ptxas is.
  std::optional<lower::KernelResources> resources;
  double occupancy = 0;
};

/// Of all kernels of a plan, in the order of the device module, for one chip.
/// Throws Stop or Failure.
std::vector<KernelReport> inspectKernels(Session &session, ProgramPlan &planned,
                                         const std::string &chip);

/// A table for people, and `shardsmith-kernels/1`.
std::string describeKernels(const std::vector<KernelReport> &kernels,
                            const std::string &chip);
std::string kernelsToJson(const std::vector<KernelReport> &kernels,
                          const std::string &chip);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_INSPECTKERNELS_H
