// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/MatrixValue.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {

TensorValue multiplyMatrices(TensorValue lhs, bool transposeLhs,
                             TensorValue rhs, bool transposeRhs) {
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

TensorValue transposeMatrices(TensorValue matrices) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, matrices.rank()));
  std::swap(order[order.size() - 2], order.back());
  return transpose(matrices, order);
}

TensorValue whereRowAndColumn(TensorValue matrices,
                              ComparisonDirection relation) {
  ImplicitLocOpBuilder &builder = matrices.builder();
  auto type =
      RankedTensorType::get(matrices.shape(), builder.getIntegerType(32));
  TensorValue rows = iota(builder, type, matrices.rank() - 2);
  return compare(rows, relation, iota(builder, type, matrices.rank() - 1));
}

TensorValue triangleOf(TensorValue matrices, ComparisonDirection relation) {
  TensorValue isInside = whereRowAndColumn(matrices, relation);
  return select(isInside, matrices, matrices.filled(0));
}

TensorValue TriangularSystem::solve(TensorValue triangle,
                                    TensorValue other) const {
  return {other.builder(),
          TriangularSolveOp::create(
              other.builder(), triangle.value(), other.value(), leftSide, lower,
              unitDiagonal,
              transpose ? Transpose::TRANSPOSE : Transpose::NO_TRANSPOSE)};
}

} // namespace shardsmith
