// SPDX-License-Identifier: Apache-2.0
//
// What ptxas makes of device functions, and how many of their threads a
// multiprocessor holds at once.

#ifndef SHARDSMITH_LOWER_CUDA_KERNELRESOURCES_H
#define SHARDSMITH_LOWER_CUDA_KERNELRESOURCES_H

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Support/Quantity.h"

#include <map>
#include <optional>
#include <string>

namespace shardsmith::lower {

struct KernelResources {
  int64_t registersPerThread = 0;
  /// Of a block.
  Bytes shared;
  /// Stored to and loaded from memory of the thread's own.
  Bytes spilled;
};

/// Of all functions of a text of PTX, by name; nothing, and `problem`, if ptxas
/// does not take it.
std::optional<std::map<std::string, KernelResources>>
findKernelResources(const std::string &ptxas, const DeviceChip &chip,
                    llvm::StringRef ptx, std::string &problem);

/// The warps that a multiprocessor holds at once, as a share of the most that
/// it can; 0 if it holds no block at all. Source of the rules: CUDA C++
/// Programming Guide, compute capabilities; CUDA Occupancy Calculator.
double occupancyOf(const DeviceChip &chip, const KernelResources &resources,
                   int64_t threadsPerBlock);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_CUDA_KERNELRESOURCES_H
