// SPDX-License-Identifier: Apache-2.0
//
// How elements are kept in memory and in registers.
//
//   element      memory   register
//   i1           i8       i1
//   iN, uiN      iN       iN
//   bf16, f16    i16      f32    arithmetic is done in f32; values are
//                                rounded when stored or converted
//   f32, f64     same     same

#ifndef SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H
#define SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H

#include "LaneIndex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "shardsmith/Lower/Common/BufferPlan.h"

namespace shardsmith::cpu {

using lower::storageBytes;

/// True if elements of this type can be loaded and computed with.
bool isSupportedElement(mlir::Type element);

mlir::Type registerType(mlir::Type element);

/// `type`, or a vector of it if there is more than one lane.
mlir::Type withLanes(mlir::Type type, int64_t lanes);

/// The register type of a value that may be a vector.
mlir::Type laneType(mlir::Value value);

/// Repeats a scalar over the lanes; other values stay as they are.
mlir::Value spread(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                   int64_t lanes);

/// A number of `like`'s type in all lanes.
mlir::Value numberLike(mlir::ImplicitLocOpBuilder &builder, mlir::Value like,
                       double number);
mlir::Value integerLike(mlir::ImplicitLocOpBuilder &builder, mlir::Value like,
                        int64_t number);

/// Rounds an f32 to what the narrower `element` can hold.
mlir::Value roundTo(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                    mlir::Type element);

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

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_ELEMENTS_STORAGE_H
