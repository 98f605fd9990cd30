// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_STABLEHLO_COSTS_H
#define SHARDSMITH_DIALECT_STABLEHLO_COSTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shardsmith::stablehlo {

/// Gives every StableHLO op its CostInterface.
void registerStableHLOCosts(mlir::DialectRegistry &registry);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_COSTS_H
