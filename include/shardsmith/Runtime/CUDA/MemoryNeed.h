// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_CUDA_MEMORYNEED_H
#define SHARDSMITH_RUNTIME_CUDA_MEMORYNEED_H

#include <cstdint>
#include <string>

namespace shardsmith::runtime::cuda {

/// A part of what a rank needs of its GPU's memory.
struct MemoryNeed {
  std::string what; ///< "parameters"
  int64_t bytes = 0;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_MEMORYNEED_H
