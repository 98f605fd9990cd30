// SPDX-License-Identifier: Apache-2.0
//
// What a machine has of NVIDIA's driver and libraries, found when it is asked
// for: nothing of Shardsmith is linked with them.

#ifndef SHARDSMITH_RUNTIME_DEVICE_CUDALIBRARIES_H
#define SHARDSMITH_RUNTIME_DEVICE_CUDALIBRARIES_H

#include <cstdint>
#include <string>
#include <vector>

namespace shardsmith::runtime::device {

/// A library that was looked for.
struct FoundLibrary {
  std::string version; ///< "13.0", "2.28.9"; empty: it cannot be used
  std::string problem; ///< why not
};

struct FoundGpu {
  std::string name; ///< "NVIDIA H200"
  std::string chip; ///< as ptxas names it: "sm_90"
  int64_t bytes = 0;
};

/// The driver, by the version of CUDA that it supports, and its devices.
/// Starts the driver, once per process.
FoundLibrary findDriver(std::vector<FoundGpu> &gpus);
FoundLibrary findNccl();
FoundLibrary findCublasLt();

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_CUDALIBRARIES_H
