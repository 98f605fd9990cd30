// SPDX-License-Identifier: Apache-2.0
//
// Functions of one f32 (scalar or lanes) by others that devices have code for.
// Errors are below 4 units in the last place.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_MATH_HYPERBOLIC_H
#define SHARDSMITH_LIB_LOWER_CUDA_MATH_HYPERBOLIC_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::cuda {

mlir::Value emitHyperbolicSine(mlir::ImplicitLocOpBuilder &builder,
                               mlir::Value x);
mlir::Value emitHyperbolicCosine(mlir::ImplicitLocOpBuilder &builder,
                                 mlir::Value x);
mlir::Value emitInverseHyperbolicSine(mlir::ImplicitLocOpBuilder &builder,
                                      mlir::Value x);
mlir::Value emitInverseHyperbolicCosine(mlir::ImplicitLocOpBuilder &builder,
                                        mlir::Value x);
mlir::Value emitInverseHyperbolicTangent(mlir::ImplicitLocOpBuilder &builder,
                                         mlir::Value x);
mlir::Value emitArcSine(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value emitArcCosine(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_MATH_HYPERBOLIC_H
