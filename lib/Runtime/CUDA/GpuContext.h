// SPDX-License-Identifier: Apache-2.0
//
// The GPU of one rank: the driver's context on it, and its memory.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_GPUCONTEXT_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_GPUCONTEXT_H

#include "DriverApi.h"

#include "shardsmith/Runtime/CUDA/MemoryNeed.h"

#include <cstddef>
#include <string>
#include <vector>

namespace shardsmith::runtime::cuda {

class GpuContext {
public:
  /// Opens the driver and takes the GPU with this number, modulo the number of
  /// GPUs if `mayShare`. Throws a Failure (Environment) where there is none.
  GpuContext(int number, bool mayShare);
  ~GpuContext();
  GpuContext(const GpuContext &) = delete;
  GpuContext &operator=(const GpuContext &) = delete;

  const DriverApi &driver() const { return api; }
  /// "NVIDIA H200".
  const std::string &name() const { return deviceName; }
  /// Compute capability: 9, 0 for sm_90.
  int major() const { return capabilityMajor; }
  int minor() const { return capabilityMinor; }

  /// Throws a Failure with the driver's words unless the call has succeeded.
  void check(DriverResult result, const char *function) const;

  /// Throws a Failure (Environment) that lists the needs, with the largest
  /// first, if they are more than is free. Nothing is allocated.
  void requireFree(const std::vector<MemoryNeed> &needs) const;
  /// Lives as long as the context.
  DevicePointer allocate(int64_t bytes);
  /// Page-locked memory of the host. Lives as long as the context.
  std::byte *allocateOnHost(int64_t bytes);

private:
  DriverApi api;
  int device = 0;
  DriverContext context = nullptr;
  std::string deviceName;
  int capabilityMajor = 0, capabilityMinor = 0;
  std::vector<DevicePointer> blocks;
  std::vector<void *> hostBlocks;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_GPUCONTEXT_H
