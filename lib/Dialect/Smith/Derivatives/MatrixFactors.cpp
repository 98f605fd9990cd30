// SPDX-License-Identifier: Apache-2.0
// Derivatives of matrix factors, after Giles, "Collected matrix derivative
// results" (2008), and Liao et al., "Differentiable programming tensor
// networks" (arXiv 1903.09650):
//
//     Q, R = qr(A)      M = R dRᵀ - dQᵀ Q, its lower triangle mirrored upwards
//                       dA = (dQ + Q M) R⁻ᵀ
//     w, V = eigh(A)    dA = V (diagonal(dw) + F ∘ (Vᵀ dV)) Vᵀ
//                       F[i, j] = 1 / (w[j] - w[i]), 0 on the diagonal
//     P A = L U         X = below(Lᵀ dL) + upper(dU Uᵀ),  dA = Pᵀ L⁻ᵀ X U⁻ᵀ

#include "shardsmith/Dialect/Smith/Derivatives.h"

#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/StableHLO/DerivativeModels.h"
#include "shardsmith/Dialect/StableHLO/MatrixValue.h"

using namespace mlir;
using shardsmith::stablehlo::ComparisonDirection;

namespace shardsmith {
namespace {

/// The cotangent of a result, zeros where it has none.
TensorValue cotangentOf(ImplicitLocOpBuilder &builder, Value result,
                        Value cotangent) {
  if (cotangent)
    return {builder, cotangent};
  return filled(builder, cast<RankedTensorType>(result.getType()), 0);
}

/// One value per row, or per column, of matrices of that shape.
TensorValue alongRows(TensorValue vector, ArrayRef<int64_t> shape) {
  return broadcastAlong(vector, shape, {int64_t(shape.size()) - 1});
}
TensorValue alongColumns(TensorValue vector, ArrayRef<int64_t> shape) {
  return broadcastAlong(vector, shape, {int64_t(shape.size()) - 2});
}

LogicalResult derive(smith::QrOp op, ImplicitLocOpBuilder &builder,
                     ArrayRef<Value> g, Value &result) {
  TensorValue q(builder, op.getQ()), r(builder, op.getR());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getMatrix().getType()).getShape();
  if (shape.drop_back().back() < shape.back())
    return op.emitError("unsupported: no derivative of 'smith.qr' of matrices "
                        "with fewer rows than columns");
  TensorValue byQ = cotangentOf(builder, q, g[0]);
  TensorValue byR = cotangentOf(builder, r, g[1]);
  TensorValue ofR = multiplyMatrices(r, false, byR, true);
  TensorValue middle = ofR - multiplyMatrices(byQ, true, q, false);
  TensorValue mirrored =
      transposeMatrices(triangleOf(middle, ComparisonDirection::GT));
  middle = triangleOf(middle, ComparisonDirection::GE) + mirrored;
  TensorValue all = byQ + multiplyMatrices(q, false, middle, false);
  TriangularSystem system{.leftSide = false, .lower = false, .transpose = true};
  result = system.solve(r, all);
  return success();
}

LogicalResult derive(smith::EighOp op, ImplicitLocOpBuilder &builder,
                     ArrayRef<Value> g, Value &result) {
  TensorValue w(builder, op.getValues()), v(builder, op.getVectors());
  ArrayRef<int64_t> shape = v.shape();
  TensorValue isDiagonal = whereRowAndColumn(v, ComparisonDirection::EQ);
  TensorValue middle = alongRows(cotangentOf(builder, w, g[0]), shape);
  middle = select(isDiagonal, middle, middle.filled(0));
  if (g[1]) {
    TensorValue byVectors =
        multiplyMatrices(v, true, TensorValue(builder, g[1]), false);
    TensorValue ofColumn = alongColumns(w, shape);
    TensorValue gap = ofColumn - alongRows(w, shape);
    gap = select(isDiagonal, gap.filled(1), gap);
    TensorValue turned = byVectors / gap;
    middle = select(isDiagonal, middle, turned);
  }
  TensorValue left = multiplyMatrices(v, false, middle, false);
  result = multiplyMatrices(left, false, v, true);
  return success();
}

LogicalResult derive(smith::LuOp op, ImplicitLocOpBuilder &builder,
                     ArrayRef<Value> g, Value &result) {
  using enum ComparisonDirection;
  TensorValue factors(builder, op.getFactors());
  ArrayRef<int64_t> shape = factors.shape();
  if (shape.drop_back().back() != shape.back())
    return op.emitError("unsupported: no derivative of 'smith.lu' of matrices "
                        "that are not square");
  TensorValue byFactors = cotangentOf(builder, factors, g[0]);
  TensorValue isDiagonal = whereRowAndColumn(factors, EQ);
  TensorValue below = triangleOf(factors, GT);
  TensorValue lower = select(isDiagonal, factors.filled(1), below);
  TensorValue upper = triangleOf(factors, LE);
  TensorValue byLower = triangleOf(byFactors, GT);
  TensorValue byUpper = triangleOf(byFactors, LE);
  TensorValue ofLower = multiplyMatrices(lower, true, byLower, false);
  TensorValue ofUpper = multiplyMatrices(byUpper, false, upper, true);
  TensorValue isBelow = whereRowAndColumn(factors, GT);
  TensorValue all = select(isBelow, ofLower, ofUpper);
  TriangularSystem left{.unitDiagonal = true, .transpose = true};
  TriangularSystem right{.leftSide = false, .lower = false, .transpose = true};
  all = right.solve(upper, left.solve(lower, all));
  // Row i of the product is row `rows[i]` of the matrix.
  TensorValue rows(builder, op.getRows());
  auto numbers = RankedTensorType::get(shape, builder.getIntegerType(32));
  TensorValue number = iota(builder, numbers, numbers.getRank() - 1);
  TensorValue isRow = compare(alongRows(rows, shape), EQ, number);
  TensorValue order = convert(isRow, factors.elementType());
  result = multiplyMatrices(order, true, all, false);
  return success();
}

template <typename OpTy>
struct FactorsModel
    : DifferentiableInterface::ExternalModel<FactorsModel<OpTy>, OpTy> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(1, nullptr);
    if (llvm::none_of(resultCotangents, [](Value v) { return bool(v); }))
      return success();
    return derive(cast<OpTy>(op), builder, resultCotangents,
                  operandCotangents[0]);
  }
};

} // namespace

void registerSmithDerivatives(DialectRegistry &registry) {
  registry.insert<stablehlo::StableHLODialect>();
  registry.addExtension(+[](MLIRContext *context, smith::SmithDialect *) {
    context->getOrLoadDialect<stablehlo::StableHLODialect>();
    smith::EighOp::attachInterface<FactorsModel<smith::EighOp>>(*context);
    smith::LuOp::attachInterface<FactorsModel<smith::LuOp>>(*context);
    smith::QrOp::attachInterface<FactorsModel<smith::QrOp>>(*context);
  });
}

} // namespace shardsmith
