// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_MATH_POWER_H
#define SHARDSMITH_LIB_LOWER_CUDA_MATH_POWER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::cuda {

/// xʸ of f32 (scalar or lanes), as C's powf defines it for zeros, infinities,
/// NaN and negative x. Error below one unit in the last place: the logarithm
/// is computed in f64, since y multiplies its error.
mlir::Value emitPower(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                      mlir::Value y);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_MATH_POWER_H
