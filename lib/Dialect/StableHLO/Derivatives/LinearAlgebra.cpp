// SPDX-License-Identifier: Apache-2.0
// Derivatives of matrix factors and of solutions of triangular systems, after
// Murray, "Differentiation of the Cholesky decomposition" (arXiv 1602.07527),
// and Giles, "Collected matrix derivative results" (2008):
//
//     L = cholesky(A)       dA = L⁻ᵀ Φ(Lᵀ dL) L⁻¹
//     op(A) X = B           dB = op(A)⁻ᵀ dX,  dA = -dB Xᵀ  or its transpose
//
// Φ takes the lower triangle with half of the diagonal. The derivative of the
// factor is that of jax.lax.linalg.cholesky, which reads A as symmetric: its
// sum over both triangles is what matters.

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/MatrixValue.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

LogicalResult deriveCholesky(CholeskyOp op, TensorValue g,
                             Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue factor(builder, op.getResult());
  bool isLower = op.getLower();
  // Of the upper factor U = Lᵀ, the derivative by L.
  TensorValue lower = isLower ? factor : transposeMatrices(factor);
  TensorValue byLower = isLower ? g : transposeMatrices(g);
  TensorValue all = multiplyMatrices(lower, true, byLower, false);
  TensorValue isDiagonal = whereRowAndColumn(all, ComparisonDirection::EQ);
  TensorValue isBelow = whereRowAndColumn(all, ComparisonDirection::GT);
  TensorValue half = select(isDiagonal, all / 2, all.filled(0));
  TensorValue middle = select(isBelow, all, half);
  TensorValue left = TriangularSystem{.transpose = true}.solve(lower, middle);
  TensorValue result = TriangularSystem{.leftSide = false}.solve(lower, left);
  cotangents[0] = isLower ? result : transposeMatrices(result);
  return success();
}

LogicalResult deriveTriangularSolve(TriangularSolveOp op, TensorValue g,
                                    Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue a(builder, op.getA());
  TensorValue x(builder, op.getResult());
  TriangularSystem system{op.getLeftSide(), op.getLower(), op.getUnitDiagonal(),
                          op.getTransposeA() != Transpose::NO_TRANSPOSE};
  TriangularSystem back = system;
  back.transpose = !system.transpose;
  TensorValue byB = back.solve(a, g);
  cotangents[1] = byB;
  // What multiplies A from the left and from the right in the equation.
  TensorValue byOp = system.leftSide ? multiplyMatrices(byB, false, x, true)
                                     : multiplyMatrices(x, true, byB, false);
  TensorValue byA = system.transpose ? transposeMatrices(byOp) : byOp;
  using enum ComparisonDirection;
  ComparisonDirection isRead = system.lower ? (system.unitDiagonal ? GT : GE)
                                            : (system.unitDiagonal ? LT : LE);
  TensorValue inTriangle = whereRowAndColumn(byA, isRead);
  TensorValue negated = -byA;
  cotangents[0] = select(inTriangle, negated, negated.filled(0));
  return success();
}

} // namespace

void attachLinearAlgebraDerivatives(MLIRContext *context) {
  attachDerivative<CholeskyOp>(context,
                               [](auto op, TensorValue g, Cotangents &dx) {
                                 return deriveCholesky(op, g, dx);
                               });
  attachDerivative<TriangularSolveOp>(
      context, [](auto op, TensorValue g, Cotangents &dx) {
        return deriveTriangularSolve(op, g, dx);
      });
}

} // namespace shardsmith
