// SPDX-License-Identifier: Apache-2.0
//
// How elements are kept in memory and in registers.
//
//   element      memory   register
//   i1           i8       i1
//   iN, uiN      iN       iN
//   bf16, f16    i16      f32    arithmetic is done in f32; values are
//                                rounded when stored or converted
//   f8           i8       f32    likewise: f8E4M3FN and f8E5M2
//   f32, f64     same     same

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_REGISTERS_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_REGISTERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::lower {

/// True if elements of this type can be loaded and computed with.
bool isSupportedElement(mlir::Type element);

mlir::Type registerType(mlir::Type element);

/// The type of an element in memory; that of f16 is f16 itself.
mlir::Type storageType(mlir::Type element);

/// `type`, or a vector of it if there is more than one lane.
mlir::Type withLanes(mlir::Type type, int64_t lanes);

/// The register type of a value that may be a vector.
mlir::Type laneType(mlir::Value value);

/// `element`, or a vector of it with the lanes of `like`.
mlir::Type typeLike(mlir::Value like, mlir::Type element);

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

/// An f64 as an f32 that `roundTo` rounds as it would round the f64: of the two
/// f32 around it that whose last bit is one, which is no tie of a narrower
/// type.
mlir::Value roundedToOdd(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value value);

/// From what memory holds to a register, and back.
mlir::Value fromStorage(mlir::ImplicitLocOpBuilder &builder, mlir::Value stored,
                        mlir::Type element);
mlir::Value toStorage(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                      mlir::Type element);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_REGISTERS_H
