// SPDX-License-Identifier: Apache-2.0
//
// From a smith.kernel to a function of LLVM pointers.

#ifndef SHARDSMITH_LIB_LOWER_CPU_KERNELS_KERNELEMITTER_H
#define SHARDSMITH_LIB_LOWER_CPU_KERNELS_KERNELEMITTER_H

#include "../Elements/Storage.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/Accumulators.h"
#include "shardsmith/Lower/Common/Elements/RowLevels.h"

namespace shardsmith::cpu {

/// A function `void(ptr arguments, i64 begin, i64 end)` that does the units
/// [begin, end) of a kernel's `units`. `arguments` is an array of pointers to
/// the inputs, then the results.
struct KernelFunction {
  mlir::LLVM::LLVMFuncOp function;
  int64_t units = 1;
  /// Bytes read and written by one unit, roughly; sets the grain.
  int64_t bytesPerUnit = 1;
};

/// `storage` numbers the buffers of inputs and results: equal numbers mean
/// overlapping memory.
KernelFunction emitKernel(mlir::OpBuilder &builder, smith::KernelOp kernel,
                          llvm::StringRef name,
                          llvm::ArrayRef<int64_t> storage);

/// What the shapes of kernels share while they are emitted.
class KernelBody {
public:
  KernelBody(mlir::ImplicitLocOpBuilder &builder, smith::KernelOp kernel)
      : builder(builder), kernel(kernel), domain(kernel.getDomain()) {}

  mlir::ImplicitLocOpBuilder &builder;
  smith::KernelOp kernel;
  llvm::ArrayRef<int64_t> domain;
  BufferTable inputs;
  llvm::SmallVector<Buffer> results;
  mlir::Value begin, end;

  mlir::Operation *terminator() {
    return kernel.getBody().front().getTerminator();
  }
  mlir::Value constant(int64_t value);

  /// for (i = lower; i < upper; i += step) with accumulators; the body
  /// returns their next values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value upper, int64_t step,
       mlir::ValueRange initial,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::Value position, mlir::ValueRange accumulators)>
           body);
  /// The same without accumulators.
  void loop(mlir::Value lower, mlir::Value upper, int64_t step,
            llvm::function_ref<void(mlir::Value position)> body);

  /// Emits the given yielded values, each at its index, then stores them: a
  /// result may share storage with an input that another result reads.
  /// `position` is the row-major position that `index` stands for.
  struct Store {
    unsigned result;
    LaneIndices index;
    LaneIndex position;
  };
  void store(ElementEmitter &emitter, llvm::ArrayRef<Store> stores);
  llvm::ArrayRef<int64_t> resultShape(unsigned result) {
    return mlir::cast<mlir::RankedTensorType>(
               terminator()->getOperand(result).getType())
        .getShape();
  }

  /// Lanes that balance parallel chains against registers.
  int64_t preferredLanes(int64_t size, int64_t widest);
};

/// The three loop nests. Each emits a whole function body and says how many
/// units there are.
int64_t emitElementwise(KernelBody &body);
int64_t emitRows(KernelBody &body);
int64_t emitReduction(KernelBody &body);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_KERNELS_KERNELEMITTER_H
