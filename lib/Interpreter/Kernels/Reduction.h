// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_REDUCTION_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_REDUCTION_H

#include "BinaryScalars.h"
#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// True if `kind` can fold elements of this type; the functions below ask for
/// it.
bool isFoldDefined(BinaryKind kind, ElementType type);

/// Folds `a` with `kind` over `dims`, starting from the scalar `init`. Float
/// sums and products are made in double precision and rounded once, so that
/// the result hardly depends on the order.
Tensor reduce(BinaryKind kind, const Tensor &a, const Tensor &init,
              llvm::ArrayRef<int64_t> dims);

/// Folds equally shaped tensors position by position, as `reduce` does: an
/// all-reduce.
Tensor reduceAcross(BinaryKind kind, llvm::ArrayRef<Tensor> parts);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_REDUCTION_H
