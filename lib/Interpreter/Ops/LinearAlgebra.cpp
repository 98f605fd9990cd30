// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/LinearAlgebra.h"
#include "../Kernels/MatrixFactors.h"
#include "Register.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

LogicalResult evaluateCholesky(stablehlo::CholeskyOp op, Arguments operands,
                               const Device &, Tensors &results) {
  results.push_back(cholesky(operands[0], op.getLower()));
  return success();
}

LogicalResult evaluateTriangularSolve(stablehlo::TriangularSolveOp op,
                                      Arguments operands, const Device &,
                                      Tensors &results) {
  const bool transposes =
      op.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
      op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  results.push_back(triangularSolve(
      operands[0], operands[1],
      {op.getLeftSide(), op.getLower(), op.getUnitDiagonal(), transposes}));
  return success();
}

template <typename OpTy, Tensors (*factorize)(const Tensor &)>
LogicalResult evaluateFactors(OpTy, Arguments operands, const Device &,
                              Tensors &results) {
  results = factorize(operands[0]);
  return success();
}

} // namespace

void registerLinearAlgebra(EvaluatorRegistry &registry) {
  registry.add(evaluateCholesky, Rounding::Sum);
  registry.add(evaluateTriangularSolve, Rounding::Sum);
  registry.add(evaluateFactors<smith::EighOp, eigh>, Rounding::Sum);
  registry.add(evaluateFactors<smith::LuOp, lu>, Rounding::Sum);
  registry.add(evaluateFactors<smith::QrOp, qr>, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
