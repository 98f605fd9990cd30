// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SMITH_DERIVATIVES_H
#define SHARDSMITH_DIALECT_SMITH_DERIVATIVES_H

#include "mlir/IR/DialectRegistry.h"

namespace shardsmith {

/// Attaches DifferentiableInterface to those ops of `smith` whose derivatives
/// are made of ops of `stablehlo`.
void registerSmithDerivatives(mlir::DialectRegistry &registry);

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_SMITH_DERIVATIVES_H
