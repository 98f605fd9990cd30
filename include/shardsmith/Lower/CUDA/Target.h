// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CUDA_TARGET_H
#define SHARDSMITH_LOWER_CUDA_TARGET_H

#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith {

/// NVIDIA's devices, with cuBLAS for products. `registerTarget` of it makes
/// `target=cuda` known to the passes.
const lower::TargetTraits &cudaTarget();

} // namespace shardsmith

#endif // SHARDSMITH_LOWER_CUDA_TARGET_H
