// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_WARPCOUNT_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_WARPCOUNT_H

#include "../Integers.h"

namespace shardsmith::cuda {

/// How many threads of the warp before this one have a condition, and how many
/// have it at all, as i64.
struct WarpCount {
  mlir::Value before, all;
};

/// All threads of the warp take part; `lane` is the number of each.
WarpCount countInWarp(Integers integers, mlir::Value lane,
                      mlir::Value condition);

/// The sum of an i64 of every thread of the warp.
mlir::Value sumInWarp(Integers integers, mlir::Value value);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_WARPCOUNT_H
