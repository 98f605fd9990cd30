// SPDX-License-Identifier: Apache-2.0
//
// The Gaussian error linear unit, as tanh approximates it, however it is
// written (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016):
//
//     gelu(x) = x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))

#ifndef SHARDSMITH_LIB_LOWER_COMMON_DOTS_GELU_H
#define SHARDSMITH_LIB_LOWER_COMMON_DOTS_GELU_H

#include "mlir/IR/Value.h"

namespace shardsmith::lower {

/// Whether each element of the result is the unit's value at the element of the
/// input with the same number. Constants may be rounded to bf16.
bool isGelu(mlir::Value result, mlir::Value input);

/// The value in the input's block that is the unit of it; null if there is
/// none.
mlir::Value findGelu(mlir::Value input);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_DOTS_GELU_H
