// SPDX-License-Identifier: Apache-2.0
//
// What device functions move through memory, without a device: some of their
// blocks are run for their positions alone, warp by warp.
//
//   lanes of a warp   0    1    2    3  …           one instruction asks for
//   positions         0    4    8   12  …           sectors of 32 bytes:
//                     └────┴────┴────┘              these four lanes for two
//
// Numbers that come from data (tokens, flags) are drawn; floats are unknown,
// and of a branch on them both sides are run.

#ifndef SHARDSMITH_LOWER_CUDA_KERNELTRAFFIC_H
#define SHARDSMITH_LOWER_CUDA_KERNELTRAFFIC_H

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace shardsmith::lower {

struct KernelTraffic {
  int64_t blocks = 0;
  int64_t threadsPerBlock = 0;
  /// Shared memory of a block.
  Bytes shared;
  /// The sizes of all buffers that the function is given.
  Bytes buffers;
  /// The sectors that blocks read and those that they write, each once per
  /// block and buffer.
  Bytes asked;
  /// Of `asked`: all blocks were run, and no position depends on data.
  bool isExact = false;
  /// What goes through the device's memory. A buffer that fits half of the
  /// level-two cache is moved once whatever blocks ask for; of a larger one a
  /// sector is moved once for neighbouring blocks that ask for it.
  Bytes moved;
  /// The sectors that the bytes of an instruction's lanes would fill, as a
  /// share of those that it asks for; of all instructions, between 0 and 1.
  /// Lanes that ask for one byte count it once.
  double coalescing = 1;
  /// Lanes that take part in the arithmetic and memory instructions of their
  /// warp, as a share of all; between 0 and 1.
  double activeLanes = 1;
  /// Positions or branches depend on data.
  bool dependsOnData = false;

  /// 1 if every byte is moved once.
  double ratio() const {
    return buffers.count() > 0 ? double(moved.count()) / double(buffers.count())
                               : 1;
  }
};

/// Half of the level-two cache of the smallest chip with code (A100: 40 MB).
inline constexpr Bytes cachedBuffer{20'000'000};

/// What is known of a function whatever data says: blocks and threads, shared
/// memory and buffers. The function has a grid and blocks of known size.
KernelTraffic shapeOfKernel(mlir::gpu::GPUFuncOp function);

/// Of a function that `emit-cuda-kernels` made. On failure a diagnostic at the
/// op that this cannot follow has been emitted.
llvm::FailureOr<KernelTraffic> estimateTraffic(mlir::gpu::GPUFuncOp function);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_CUDA_KERNELTRAFFIC_H
