// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_DIFFERENTIATE_H
#define SHARDSMITH_TRAIN_DIFFERENTIATE_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"

namespace shardsmith {

/// Appends to the block of `loss`, before its terminator, the computation of
/// the gradients of the scalar `loss` with respect to `parameters`, arguments
/// of that block. A gradient has its parameter's type; it is null if the loss
/// does not depend on the parameter.
///
/// The order of ops follows the forward pass backwards: the gradient of a
/// layer's parameters stands next to the cotangent of its input. Contributions
/// to one cotangent are added in that order, so the result is deterministic.
///
/// On failure a diagnostic names the op without derivative.
llvm::LogicalResult
differentiate(mlir::Value loss, mlir::ValueRange parameters,
              llvm::SmallVectorImpl<mlir::Value> &gradients);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_DIFFERENTIATE_H
