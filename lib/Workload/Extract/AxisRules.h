// SPDX-License-Identifier: Apache-2.0
//
// The factor rule of an op as extraction needs it: the rule that partitioning
// goes by, with more said about ops that cut and join tensors.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISRULES_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISRULES_H

#include "AxisTable.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include "mlir/IR/Operation.h"

namespace shardsmith::workload {

/// Differs from `FactorRuleInterface` where tensors are cut and joined in
/// equal parts: which part it is becomes a factor of its own, and the inside
/// of the parts passes through.
///
///     slice [b, s, 3·h] at 2h … 3h    ([i, j, pk])->([i, j, k])
///     concatenate of [b, h], [b, h]   ([i, j], [i, j])->([i, pj])
///
/// A slice that leaves out less than half (the last position, say) also
/// passes through, with the size of its result. Convolutions and grouped
/// products are written as products.
shardsmith::FactorRule axisRuleOf(mlir::Operation *op);

/// A dimension of a result that has the extent and the meaning of one of an
/// operand, though no factor ties them: a sort mixes elements along it.
struct SameExtent {
  unsigned operand, result, dim;
};
llvm::SmallVector<SameExtent> sameExtents(mlir::Operation *op);

/// A rule over leaves instead of dimensions.
struct LeafFactor {
  int64_t size = 1;
  shardsmith::FactorKind kind = shardsmith::FactorKind::PassThrough;
  shardsmith::ReductionKind reduction = shardsmith::ReductionKind::Sum;
};
struct LeafRule {
  llvm::SmallVector<LeafFactor> factors;
  /// Per tensor and leaf its factor.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> operands, results;
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> linearOperandSets;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_AXISRULES_H
