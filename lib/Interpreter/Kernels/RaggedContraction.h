// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_RAGGEDCONTRACTION_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_RAGGEDCONTRACTION_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// Dimensions of a contraction in which the ragged dimension of lhs consists
/// of consecutive groups.
struct RaggedDims {
  llvm::ArrayRef<int64_t> lhsBatch, rhsBatch;
  llvm::ArrayRef<int64_t> lhsContracting, rhsContracting;
  int64_t lhsRagged;
  /// The dimension of rhs that has one entry per group; −1 if it has none.
  int64_t rhsGroup;
};

/// Rows beyond the last group come out as zero.
Tensor contractRagged(const Tensor &lhs, const Tensor &rhs,
                      const Tensor &groupSizes, const RaggedDims &dims,
                      ElementType resultType,
                      llvm::ArrayRef<int64_t> resultShape);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_RAGGEDCONTRACTION_H
