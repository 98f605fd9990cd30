// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_MATH_GAMMA_H
#define SHARDSMITH_LIB_LOWER_CUDA_MATH_GAMMA_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::cuda {

// Of one f64, to be rounded to f32: errors below 1e-12 of the larger of one and
// the result. Infinities and NaN are those of C's lgamma, and of the runtime's
// digamma for processors.

mlir::Value emitLogGamma(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value emitDigamma(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_MATH_GAMMA_H
