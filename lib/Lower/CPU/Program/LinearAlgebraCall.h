// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_LINEARALGEBRACALL_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_LINEARALGEBRACALL_H

#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Runtime/ABI.h"

#include <string>

namespace shardsmith::cpu {

/// Why a factor of matrices or a triangular solve cannot be lowered; empty if
/// it can.
std::string whyNotLinearAlgebra(mlir::Operation *op);

/// The ops as the runtime takes them, on row-major tensors.
smith_cholesky describeCholesky(stablehlo::CholeskyOp op);
smith_triangular_solve describeTriangularSolve(stablehlo::TriangularSolveOp op);
/// Of a smith.qr, smith.eigh or smith.lu.
smith_matrix_factors describeMatrixFactors(mlir::Operation *op);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_LINEARALGEBRACALL_H
