// SPDX-License-Identifier: Apache-2.0
//
// What the folders share. A fold never makes a constant of many elements: the
// compiler handles models whose arrays do not fit this machine's memory.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_FOLD_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_FOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shardsmith::stablehlo {

/// Constants of more elements are left alone, unless all elements are equal.
inline constexpr int64_t maxFoldedElements = 16;

/// `attribute` as a constant that may take part in folding: one of few
/// elements or a splat, of integers, booleans or floats. Null otherwise.
mlir::DenseElementsAttr getFoldable(mlir::Attribute attribute);

/// True if results of this type may be spelt out element by element.
bool isFoldable(mlir::Type type);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_FOLD_H
