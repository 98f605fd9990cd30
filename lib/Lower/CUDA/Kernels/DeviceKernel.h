// SPDX-License-Identifier: Apache-2.0
//
// A kernel function while it is emitted.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEKERNEL_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEKERNEL_H

#include "DeviceMemory.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/Accumulators.h"
#include "shardsmith/Lower/Common/Elements/RowLevels.h"
#include "shardsmith/Lower/Common/Elements/ScatterShape.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace shardsmith::cuda {

constexpr int64_t warpSize = 32;
/// Threads of a block where a kernel has no reason for another number.
constexpr int64_t usualThreads = 256;
/// Shared memory that every chip gives a block without being asked.
constexpr int64_t sharedBytes = 48 * 1024;
/// The most blocks of a grid along x.
constexpr int64_t mostBlocks = 2147483647;

/// Builds a `gpu.func` with one memref argument for each of `tensors`. Blocks
/// and threads are one-dimensional; a block has whole warps. Of several members
/// of a launch each has as many blocks as one, and its own buffers:
///
///     blocks    0 1 2 │ 3 4 5 │ 6 7 8        member 0, 1, 2
///     block     0 1 2 │ 0 1 2 │ 0 1 2
///
/// Invariant: every thread of a block reaches every barrier and every shuffle,
/// so what a thread has no element for is guarded, never skipped.
class DeviceKernel {
public:
  DeviceKernel(mlir::OpBuilder &moduleBuilder, mlir::Location location,
               llvm::StringRef name, mlir::TypeRange tensors);

  /// For each member of the launch the arguments of the function that its
  /// buffers are, if there are several members; before `launch`.
  void setMembers(llvm::ArrayRef<llvm::SmallVector<unsigned>> arguments);
  /// The tensor is in this buffer, and in the memory from `launch` on.
  void read(mlir::Value tensor, unsigned number) {
    tensors.push_back({tensor, number});
  }
  /// Sets the shape of the launch of one member; once, before the ids and the
  /// buffers are asked for.
  void launch(int64_t count, int64_t threads);
  void finish();

  /// The buffer of the block's member.
  mlir::Value buffer(unsigned number) {
    return chosen.empty() ? function.getArgument(number) : chosen[number];
  }
  mlir::Value constant(int64_t value);
  mlir::Value thread, block; ///< i64, in the member
  /// What was asked for; more than `mostBlocks` cannot be launched.
  int64_t blocks = 0;
  /// Threads of a block.
  int64_t threads = 0;

  /// `a < limit`, as i1.
  mlir::Value isBelow(mlir::Value a, int64_t limit);
  /// Both conditions; null stands for "always".
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// Runs `body` where the condition holds; null: always.
  void guarded(mlir::Value condition, llvm::function_ref<void()> body);
  /// for (i = lower; i < upper; i += step) with accumulators.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value upper, int64_t step,
       mlir::ValueRange initial,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::Value position, mlir::ValueRange accumulators)>
           body);

  /// Shared memory for elements of a register type; a boolean takes a byte.
  /// It begins at a multiple of `alignment` bytes, 0 for the element's own.
  mlir::Value shared(int64_t elements, mlir::Type element,
                     int64_t alignment = 0);
  void storeShared(mlir::Value memory, mlir::Value position, mlir::Value value);
  mlir::Value loadShared(mlir::Value memory, mlir::Value position,
                         mlir::Type element);
  void barrier();

  mlir::ImplicitLocOpBuilder builder;
  mlir::gpu::GPUFuncOp function;
  DeviceMemory memory;

private:
  void chooseBuffers(mlir::Value member);
  /// Buffers of the one of `count` members from `first` on that is `member`.
  llvm::SmallVector<mlir::Value> choose(mlir::Value member, size_t first,
                                        size_t count,
                                        llvm::ArrayRef<unsigned> numbers);

  llvm::SmallVector<llvm::SmallVector<unsigned>> members;
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> tensors;
  llvm::SmallVector<mlir::Value> chosen; ///< empty: the arguments themselves
};

/// What the three nests of smith.kernel have in common.
struct KernelNest {
  KernelNest(DeviceKernel &device, smith::KernelOp kernel)
      : device(device), builder(device.builder), kernel(kernel),
        domain(kernel.getDomain()) {}

  mlir::ValueRange yielded() {
    return kernel.getBody().front().getTerminator()->getOperands();
  }
  llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) const {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }
  /// Stores a result of the kernel.
  void store(LaneArithmetic &arithmetic, unsigned result,
             const LaneIndex &position, mlir::Value value);
  /// Lanes of a thread along `columns` neighbours: a power of two that divides
  /// them, such that the narrowest tensor as large as the domain is accessed
  /// by 16 bytes.
  int64_t lanesFor(int64_t columns);
  size_t opCount() { return llvm::range_size(kernel.getBody().front()); }

  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  smith::KernelOp kernel;
  llvm::ArrayRef<int64_t> domain;
};

/// Each emits the body of a function whose arguments are the kernel's inputs
/// and results.
void emitElementwise(DeviceKernel &device, smith::KernelOp kernel);
/// Of a kernel that puts the elements of a tensor, which it may compute,
/// elsewhere. Nothing is emitted, and false returned, if it does more with them
/// or needs no tiles.
bool emitTranspose(DeviceKernel &device, smith::KernelOp kernel);
void emitRows(DeviceKernel &device, smith::KernelOp kernel);
void emitColumns(DeviceKernel &device, smith::KernelOp kernel);
/// The arguments are indices, updates, and the result, which already holds the
/// operand.
void emitScatter(DeviceKernel &device, stablehlo::ScatterOp scatter);

/// The value of the thread of the warp whose number differs in the bit
/// `offset`; all threads of the warp take part.
mlir::Value exchangeInWarp(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value value, int64_t offset);

/// Combines accumulators of `count` neighbouring threads, a power of two; all
/// of them get the result. More than a warp of threads are a whole block.
llvm::SmallVector<mlir::Value> combineThreads(DeviceKernel &device,
                                              mlir::Operation *reduce,
                                              int64_t count,
                                              mlir::ValueRange accumulators);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_DEVICEKERNEL_H
