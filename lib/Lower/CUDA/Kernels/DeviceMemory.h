// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a kernel in the memory of the device, as one-dimensional memrefs.
//
//   element      memory   register
//   bf16         bf16     f32     one conversion instruction each way
//   all others   as Elements/Registers.h says
//
// A thread's lanes are neighbours in memory; where their first position is
// known to be a multiple of their number, they are one access of up to 16
// bytes. Other lanes are loaded one by one: slower, never wrong.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEMEMORY_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEMEMORY_H

#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

namespace shardsmith::cuda {

using namespace lower;

/// Bytes of the widest access of one thread.
constexpr int64_t accessBytes = 16;

/// How an element is kept in the device's memory.
mlir::Type deviceStorage(mlir::Type element);

/// The memref that a tensor is in.
mlir::MemRefType deviceBuffer(mlir::RankedTensorType tensor);

/// A position of any integer type as an index.
mlir::Value asIndex(mlir::ImplicitLocOpBuilder &builder, mlir::Value position);

/// Loads and stores of one thread. Positions count elements.
class DeviceMemory : public ElementMemory {
public:
  /// While this is set, elements are loaded only if it holds, and are zero if
  /// it does not: the thread has no element there.
  mlir::Value active;

  void add(mlir::Value tensor, mlir::Value buffer) { buffers[tensor] = buffer; }

  mlir::Value bufferOf(mlir::Value tensor) const { return buffers.at(tensor); }

  bool holds(mlir::Value tensor) const override {
    return buffers.contains(tensor);
  }
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                   mlir::Value tensor,
                   const LaneIndex &position) const override;

  static mlir::Value loadFrom(mlir::ImplicitLocOpBuilder &builder,
                              LaneArithmetic &lanes, mlir::Value buffer,
                              mlir::Type element, const LaneIndex &position);
  /// Stores to consecutive positions, or one scalar to a uniform position.
  static void store(mlir::ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                    mlir::Value buffer, mlir::Type element,
                    const LaneIndex &position, mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEMEMORY_H
