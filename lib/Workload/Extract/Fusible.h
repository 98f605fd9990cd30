// SPDX-License-Identifier: Apache-2.0
//
// What an op of the IR is to a block.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSIBLE_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSIBLE_H

#include "ModelGraph.h"
#include "shardsmith/Interfaces/CostInterface.h"

namespace shardsmith::workload {

/// Computes element by element or row by row, so that it can be part of one
/// kernel with others of its kind.
bool isFusible(mlir::Operation *op);

/// Work on the op's own types.
OpWork workOf(mlir::Operation *op);

/// A matrix product for which only operands 0 and 1 are multiplied. What comes
/// behind them says which rows meet which matrix (`groupDimensionOf`).
bool isProductOfTwo(mlir::Operation *op);

/// Of a product per group of consecutive rows: the dimension of operand 1 that
/// counts the groups, each with a matrix of its own.
std::optional<unsigned> groupDimensionOf(mlir::Operation *op);

/// Forward operations for one sequence: the op's own, less the batch.
Flops flopsPerSequence(const ModelGraph &graph, mlir::Operation *op);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSIBLE_H
