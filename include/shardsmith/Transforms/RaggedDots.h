// SPDX-License-Identifier: Apache-2.0
//
// From products of consecutive rows with a matrix per group to products of
// rows that name their matrix.

#ifndef SHARDSMITH_TRANSFORMS_RAGGEDDOTS_H
#define SHARDSMITH_TRANSFORMS_RAGGEDDOTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"

namespace shardsmith {

/// A ragged product of rows `[m, k]` by matrices `[g, k, n]`, each in any
/// order of dimensions.
struct RowsByMatrices {
  /// Dimension of the left side that is summed over.
  int64_t contracted;
  int64_t group, rhsContracted, rhsFree;

  static std::optional<RowsByMatrices> of(chlo::RaggedDotOp op);

  /// The left side as `[m, k]`.
  mlir::Value rows(mlir::ImplicitLocOpBuilder &builder, mlir::Value left) const;
  /// The right side as `[g, k, n]`, or `[g, n, k]` if `isTransposed`.
  mlir::Value matrices(mlir::ImplicitLocOpBuilder &builder,
                       mlir::Value right) const;
  bool isTransposed() const { return rhsFree < rhsContracted; }
};

/// `chlo.ragged_dot` ─▶ `smith.grouped_dot` or `smith.grouped_outer`, with the
/// group of each row computed from the sizes of the groups.
void populateRaggedDotPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardsmith

#endif // SHARDSMITH_TRANSFORMS_RAGGEDDOTS_H
