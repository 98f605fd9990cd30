// SPDX-License-Identifier: Apache-2.0
//
// Floats of eight bits, f8E4M3FN and f8E5M2 ("FP8 Formats for Deep Learning",
// arXiv 2209.05433), in integer arithmetic: the same bits on every processor.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_ELEMENTS_FLOAT8_H
#define SHARDSMITH_LIB_LOWER_COMMON_ELEMENTS_FLOAT8_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::lower {

/// An f32, or lanes of them, rounded to the nearest, ties to even, as bits in
/// i32. What is too large becomes infinity in f8E5M2 and NaN in f8E4M3FN, which
/// has no infinity.
mlir::Value float8Bits(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                       mlir::Type element);

/// Likewise, as the f32 that has the value.
mlir::Value roundToFloat8(mlir::ImplicitLocOpBuilder &builder,
                          mlir::Value value, mlir::Type element);

/// The f32 that the lowest eight of 32 bits stand for; the others are zero.
mlir::Value fromFloat8Bits(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value bits, mlir::Type element);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_ELEMENTS_FLOAT8_H
