// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CUDA_TARGET_H
#define SHARDSMITH_LOWER_CUDA_TARGET_H

#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith {

/// NVIDIA's devices, with cuBLAS for products. `registerTarget` of it makes
/// `target=cuda` known to the passes.
///
/// `multipliesFloat8`: cuBLASLt multiplies floats of eight bits on all chips
/// that the program is for (`cuda-f8` as passes name it, `cuda` without).
const lower::TargetTraits &cudaTarget(bool multipliesFloat8 = false);

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CUDA_TARGET_H
