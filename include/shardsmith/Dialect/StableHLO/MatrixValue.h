// SPDX-License-Identifier: Apache-2.0
//
// Batches of matrices in the formulas of derivatives: rows and columns are the
// last two dimensions.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_MATRIXVALUE_H
#define SHARDSMITH_DIALECT_STABLEHLO_MATRIXVALUE_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

namespace shardsmith {

/// The matrices of two batches multiplied, each transposed or not.
TensorValue multiplyMatrices(TensorValue lhs, bool transposeLhs,
                             TensorValue rhs, bool transposeRhs);

TensorValue transposeMatrices(TensorValue matrices);

/// Whether the row number of an element is in that relation to the column's.
TensorValue whereRowAndColumn(TensorValue matrices,
                              stablehlo::ComparisonDirection relation);

/// The elements whose row number is in that relation to the column's, zero
/// elsewhere: GT for those below the diagonal.
TensorValue triangleOf(TensorValue matrices,
                       stablehlo::ComparisonDirection relation);

/// Solves systems with a triangle on the left or the right side.
struct TriangularSystem {
  bool leftSide = true, lower = true, unitDiagonal = false, transpose = false;

  TensorValue solve(TensorValue triangle, TensorValue other) const;
};

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_STABLEHLO_MATRIXVALUE_H
