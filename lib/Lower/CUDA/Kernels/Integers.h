// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_INTEGERS_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_INTEGERS_H

#include "DeviceKernel.h"

namespace shardsmith::cuda {

/// Arithmetic on i64 that folds constants.
struct Integers {
  explicit Integers(DeviceKernel &device) : device(device) {}

  mlir::Value constant(int64_t value) { return device.constant(value); }
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value plus(mlir::Value a, int64_t b) { return plus(a, constant(b)); }
  mlir::Value minus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, int64_t b);
  /// Of nonnegative numbers.
  mlir::Value quotient(mlir::Value a, int64_t b);
  mlir::Value remainder(mlir::Value a, int64_t b);
  /// Of a nonnegative number in a mixed radix, the last one fastest.
  llvm::SmallVector<mlir::Value> digits(mlir::Value number,
                                        llvm::ArrayRef<int64_t> radices);
  mlir::Value smaller(mlir::Value a, mlir::Value b);
  /// Moved into [0, most].
  mlir::Value clamp(mlir::Value a, int64_t most);
  mlir::Value isBelow(mlir::Value a, mlir::Value b);
  mlir::Value isEqual(mlir::Value a, mlir::Value b);
  /// A number of 32 bits or fewer that is not negative.
  mlir::Value widened(mlir::Value a);

  DeviceKernel &device;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_INTEGERS_H
