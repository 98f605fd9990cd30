// SPDX-License-Identifier: Apache-2.0

#include "LinearAlgebraCall.h"

#include "RuntimeCalls.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Matrices of a batch; types without elements are gone by now.
int64_t countMatrices(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape().drop_back(2))
    count *= size;
  return count;
}

} // namespace

std::string whyNotLinearAlgebra(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (element.isF32() || element.isF64())
    return "";
  std::string reason;
  llvm::raw_string_ostream(reason)
      << "'" << op->getName() << "' of " << element
      << "; LAPACK has f32 and f64, convert the matrices";
  return reason;
}

smith_cholesky describeCholesky(stablehlo::CholeskyOp op) {
  RankedTensorType type = typeOf(op.getA());
  smith_cholesky cholesky = {};
  cholesky.dtype = dtypeOf(type.getElementType());
  cholesky.lower = op.getLower();
  cholesky.count = countMatrices(type);
  cholesky.size = type.getShape().back();
  return cholesky;
}

smith_triangular_solve
describeTriangularSolve(stablehlo::TriangularSolveOp op) {
  RankedTensorType type = typeOf(op.getB());
  smith_triangular_solve solve = {};
  solve.dtype = dtypeOf(type.getElementType());
  solve.left_side = op.getLeftSide();
  solve.lower = op.getLower();
  solve.unit_diagonal = op.getUnitDiagonal();
  solve.transposed = op.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE;
  solve.count = countMatrices(type);
  solve.rows = type.getShape()[type.getRank() - 2];
  solve.columns = type.getShape().back();
  return solve;
}

smith_matrix_factors describeMatrixFactors(Operation *op) {
  RankedTensorType type = typeOf(op->getOperand(0));
  smith_matrix_factors factors = {};
  factors.dtype = dtypeOf(type.getElementType());
  factors.kind = isa<smith::QrOp>(op)     ? SMITH_QR
                 : isa<smith::EighOp>(op) ? SMITH_EIGH
                                          : SMITH_LU;
  factors.count = countMatrices(type);
  factors.rows = type.getShape()[type.getRank() - 2];
  factors.columns = type.getShape().back();
  return factors;
}

} // namespace shardsmith::cpu
