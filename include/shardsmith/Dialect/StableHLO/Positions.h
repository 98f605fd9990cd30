// SPDX-License-Identifier: Apache-2.0
//
// Ops that are given positions of elements of their first operand, as numbers.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_POSITIONS_H
#define SHARDSMITH_DIALECT_STABLEHLO_POSITIONS_H

#include "shardsmith/Interfaces/FactorRule.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace shardsmith::stablehlo {

/// Whether the op compares its numbers with positions along a factor of its
/// rule: the rows of a table that is looked up in or written to, the dimension
/// that a `dynamic_slice` cuts. Who splits it must know where each part begins,
/// and who changes the order of elements changes the result.
bool pointsInto(mlir::Operation *op, const FactorRule &rule,
                FactorIndex factor);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_POSITIONS_H
