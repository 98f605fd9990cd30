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

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// The matrices of two batches multiplied, each transposed or not.
TensorValue multiply(TensorValue lhs, bool transposeLhs, TensorValue rhs,
                     bool transposeRhs) {
  int64_t rank = lhs.rank();
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  auto numbers =
      DotDimensionNumbersAttr::get(lhs.builder().getContext(), batch, batch,
                                   {transposeLhs ? rank - 2 : rank - 1},
                                   {transposeRhs ? rank - 1 : rank - 2});
  return {lhs.builder(),
          DotGeneralOp::create(lhs.builder(), lhs.value(), rhs.value(), numbers,
                               ArrayAttr(), lhs.elementType())};
}

TensorValue swapped(TensorValue matrices) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, matrices.rank()));
  std::swap(order[order.size() - 2], order.back());
  return transpose(matrices, order);
}

/// Where the row number of an element is in that relation to the column's.
TensorValue where(TensorValue matrices, ComparisonDirection relation) {
  ImplicitLocOpBuilder &builder = matrices.builder();
  auto type =
      RankedTensorType::get(matrices.shape(), builder.getIntegerType(32));
  TensorValue rows = iota(builder, type, matrices.rank() - 2);
  return compare(rows, relation, iota(builder, type, matrices.rank() - 1));
}

struct Solve {
  bool leftSide = true, lower = true, unitDiagonal = false, transpose = false;

  TensorValue operator()(TensorValue a, TensorValue b) const {
    return {b.builder(),
            TriangularSolveOp::create(b.builder(), a.value(), b.value(),
                                      leftSide, lower, unitDiagonal,
                                      transpose ? Transpose::TRANSPOSE
                                                : Transpose::NO_TRANSPOSE)};
  }
};

LogicalResult deriveCholesky(CholeskyOp op, TensorValue g,
                             Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue factor(builder, op.getResult());
  bool isLower = op.getLower();
  // Of the upper factor U = Lᵀ, the derivative by L.
  TensorValue lower = isLower ? factor : swapped(factor);
  TensorValue byLower = isLower ? g : swapped(g);
  TensorValue all = multiply(lower, true, byLower, false);
  TensorValue isDiagonal = where(all, ComparisonDirection::EQ);
  TensorValue isBelow = where(all, ComparisonDirection::GT);
  TensorValue half = select(isDiagonal, all / 2, all.filled(0));
  TensorValue middle = select(isBelow, all, half);
  TensorValue left = Solve{.transpose = true}(lower, middle);
  TensorValue result = Solve{.leftSide = false}(lower, left);
  cotangents[0] = isLower ? result : swapped(result);
  return success();
}

LogicalResult deriveTriangularSolve(TriangularSolveOp op, TensorValue g,
                                    Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue a(builder, op.getA());
  TensorValue x(builder, op.getResult());
  Solve solve{op.getLeftSide(), op.getLower(), op.getUnitDiagonal(),
              op.getTransposeA() != Transpose::NO_TRANSPOSE};
  Solve back = solve;
  back.transpose = !solve.transpose;
  TensorValue byB = back(a, g);
  cotangents[1] = byB;
  // What multiplies A from the left and from the right in the equation.
  TensorValue byOp = solve.leftSide ? multiply(byB, false, x, true)
                                    : multiply(x, true, byB, false);
  TensorValue byA = solve.transpose ? swapped(byOp) : byOp;
  using enum ComparisonDirection;
  ComparisonDirection isRead = solve.lower ? (solve.unitDiagonal ? GT : GE)
                                           : (solve.unitDiagonal ? LT : LE);
  TensorValue inTriangle = where(byA, isRead);
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
