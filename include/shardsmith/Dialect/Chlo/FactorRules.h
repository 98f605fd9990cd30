// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_CHLO_FACTORRULES_H
#define SHARDSMITH_DIALECT_CHLO_FACTORRULES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shardsmith::chlo {

/// Gives every CHLO op that can be split its FactorRuleInterface.
void registerChloFactorRules(mlir::DialectRegistry &registry);

} // namespace shardsmith::chlo

#endif // SHARDSMITH_DIALECT_CHLO_FACTORRULES_H
