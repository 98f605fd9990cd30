// SPDX-License-Identifier: Apache-2.0
//
// Factors of each matrix in the last two dimensions, in double precision.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_MATRIXFACTORS_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_MATRIXFACTORS_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// Orthogonal columns and an upper triangle, by reflections, with the signs
/// that LAPACK gives them: {q, r}.
llvm::SmallVector<Tensor> qr(const Tensor &a);

/// Ascending eigenvalues and eigenvectors, as columns, of symmetric matrices,
/// of which the lower triangle is read, by Jacobi's rotations: {values,
/// vectors}.
llvm::SmallVector<Tensor> eigh(const Tensor &a);

/// Both triangles in one, the row that each was exchanged with, and the order
/// of rows that comes of it: {factors, pivots, rows}.
llvm::SmallVector<Tensor> lu(const Tensor &a);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_MATRIXFACTORS_H
