// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_EXPERTWARPS_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_EXPERTWARPS_H

#include "../Integers.h"

namespace shardsmith::cuda {

/// A function in which a warp has an expert of a sample. One more warp of each
/// sample has the rows whose expert is none, as its expert number `experts`.
struct ExpertWarps {
  /// How many warps have something to do.
  static int64_t countOf(int64_t samples, int64_t experts) {
    return samples * (experts + 1);
  }
  /// Sets the shape of the launch.
  ExpertWarps(DeviceKernel &device, int64_t samples, int64_t experts);

  /// The expert that is named at a place of an i32 tensor, `experts` for none;
  /// any where `isThere` does not hold.
  mlir::Value expertAt(mlir::Value numbers, mlir::Value place,
                       mlir::Value isThere);

  DeviceKernel &device;
  int64_t experts;
  mlir::Value lane, warp, sample, expert;
  /// Whether the warp has something to do; null where all warps have.
  mlir::Value exists;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_EXPERTWARPS_H
