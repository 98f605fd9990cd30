// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_LINEARALGEBRA_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_LINEARALGEBRA_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// The triangular factor of each symmetric matrix in the last two dimensions;
/// only the triangle named by `lower` is read. Where a matrix is not positive
/// definite its factor is NaN.
Tensor cholesky(const Tensor &a, bool lower);

struct TriangularSolveOptions {
  bool leftSide, lower, unitDiagonal, transposeA;
};

/// Solves op(a) x = b, or x op(a) = b, for each matrix in the last two
/// dimensions. Computed in double precision.
Tensor triangularSolve(const Tensor &a, const Tensor &b,
                       TriangularSolveOptions options);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_LINEARALGEBRA_H
