// SPDX-License-Identifier: Apache-2.0
//
// Elements in memory, by LLVM's pointers.

#ifndef SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H
#define SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

namespace shardsmith::cpu {

using namespace lower;

/// A tensor in memory. The scopes tell LLVM which buffers are distinct.
struct Buffer {
  mlir::Value pointer;
  mlir::ArrayAttr scopes, otherScopes;
};

/// Loads the elements at a row-major position: a scalar if the position is
/// uniform, else a vector.
mlir::Value loadElements(mlir::ImplicitLocOpBuilder &builder,
                         LaneArithmetic &lanes, const Buffer &buffer,
                         mlir::Type element, const LaneIndex &position);

/// Stores to consecutive positions, or one scalar to a uniform position.
void storeElements(mlir::ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                   const Buffer &buffer, mlir::Type element,
                   const LaneIndex &position, mlir::Value value);

/// The tensors of a kernel that are in memory.
class BufferTable : public ElementMemory {
public:
  Buffer &operator[](mlir::Value tensor) { return buffers[tensor]; }

  bool holds(mlir::Value tensor) const override {
    return buffers.contains(tensor);
  }
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, LaneArithmetic &lanes,
                   mlir::Value tensor,
                   const LaneIndex &position) const override;

private:
  llvm::DenseMap<mlir::Value, Buffer> buffers;
};

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H
