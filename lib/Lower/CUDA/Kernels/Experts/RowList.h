// SPDX-License-Identifier: Apache-2.0
//
// Which rows name a matrix, as their numbers in shared memory:
//
//     groups    2 0 1 0 0 2        list of 0    1 3 4
//
// So the blocks of a matrix find its rows by themselves, in the order of the
// rows, and no sort and no host stands between a router and its experts.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_ROWLIST_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_ROWLIST_H

#include "../Integers.h"

namespace shardsmith::cuda {

class RowList {
public:
  /// The most rows that are searched at once.
  static constexpr int64_t mostRows = 2048;

  /// `groups` is a tensor that has its buffer in `device.memory`, of numbers
  /// of which those in [0, `groupCount`) are groups; behind `launch`.
  RowList(DeviceKernel &device, mlir::Value groups, int64_t groupCount,
          int64_t rows);

  /// Lists the rows in [begin, end), `mostRows` at most, whose group is
  /// `group`; those without any where it is `groupCount`. Gives their number.
  /// All threads take part, and must meet before they read the list.
  mlir::Value collect(mlir::Value begin, mlir::Value end, mlir::Value group);
  /// A row of the last list; 0 unless the condition holds, null: always.
  mlir::Value at(mlir::Value place, mlir::Value condition = {});

private:
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  Integers integers;
  mlir::Value groups, lane, isFirstWarp;
  /// Numbers of rows, counted from `first`.
  mlir::Value numbers, first;
  int64_t groupCount;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_EXPERTS_ROWLIST_H
