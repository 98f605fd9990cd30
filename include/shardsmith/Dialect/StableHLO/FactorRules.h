// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_H
#define SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shardsmith::stablehlo {

/// Gives every StableHLO op that can be split its FactorRuleInterface.
void registerStableHLOFactorRules(mlir::DialectRegistry &registry);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_H
