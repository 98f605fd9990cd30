// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_MATH_REMAINDER_H
#define SHARDSMITH_LIB_LOWER_CUDA_MATH_REMAINDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::cuda {

/// What is left of x when it is divided by y, both f32 (scalar or lanes), with
/// the sign of x: exact, and as C's fmodf for zeros, infinities and NaN.
mlir::Value emitRemainder(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                          mlir::Value y);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_MATH_REMAINDER_H
