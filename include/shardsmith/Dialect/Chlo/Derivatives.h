// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_CHLO_DERIVATIVES_H
#define SHARDSMITH_DIALECT_CHLO_DERIVATIVES_H

#include "mlir/IR/DialectRegistry.h"

namespace shardsmith {

/// Attaches DifferentiableInterface to the ops of `chlo`.
void registerChloDerivatives(mlir::DialectRegistry &registry);

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_CHLO_DERIVATIVES_H
