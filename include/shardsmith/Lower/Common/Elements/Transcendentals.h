// SPDX-License-Identifier: Apache-2.0
//
// Functions of one f32 (scalar or lanes) as straight-line code, so that hot
// loops call no library. Operands of f64 go to the library.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_TRANSCENDENTALS_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_TRANSCENDENTALS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::lower {

/// Error below 1 unit in the last place over the whole range, results below
/// the normal numbers included.
mlir::Value emitExponential(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

/// Error below 1.5 units in the last place.
mlir::Value emitLogarithm(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

/// Absolute error below 1e-7 for |x| up to 100,000; beyond that the
/// reduction to one period loses digits.
mlir::Value emitSine(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value emitCosine(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

/// Error below 4 units in the last place.
mlir::Value emitInverseErf(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

/// Calls the function `double name(double, …)` of the runtime for every lane of
/// its operands, which have one type.
mlir::Value emitRuntimeFunction(mlir::ImplicitLocOpBuilder &builder,
                                llvm::StringRef name,
                                mlir::ValueRange operands);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_TRANSCENDENTALS_H
