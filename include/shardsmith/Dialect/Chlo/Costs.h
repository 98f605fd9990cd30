// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_CHLO_COSTS_H
#define SHARDSMITH_DIALECT_CHLO_COSTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shardsmith::chlo {

/// Gives the CHLO ops their CostInterface.
void registerChloCosts(mlir::DialectRegistry &registry);

} // namespace shardsmith::chlo

#endif // SHARDSMITH_DIALECT_CHLO_COSTS_H
