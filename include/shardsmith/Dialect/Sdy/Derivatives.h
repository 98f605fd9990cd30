// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SDY_DERIVATIVES_H
#define SHARDSMITH_DIALECT_SDY_DERIVATIVES_H

#include "mlir/IR/DialectRegistry.h"

namespace shardsmith::sdy {

/// Attaches DifferentiableInterface to `sdy.sharding_constraint`: where a value
/// is split in some way, so is its cotangent.
void registerSdyDerivatives(mlir::DialectRegistry &registry);

} // namespace shardsmith::sdy

#endif // SHARDSMITH_DIALECT_SDY_DERIVATIVES_H
