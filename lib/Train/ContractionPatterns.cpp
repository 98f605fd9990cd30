// SPDX-License-Identifier: Apache-2.0
// A contraction reads its operands in any order of dimensions, so transposes
// next to it are rarely needed. Its result has a fixed order:
//
//     batching dimensions, free dimensions of lhs, free dimensions of rhs

#include "SimplifyPatterns.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

SmallVector<int64_t> mapDimensions(ArrayRef<int64_t> dimensions,
                                   ArrayRef<int64_t> map) {
  return llvm::map_to_vector(
      dimensions, [map](int64_t dimension) { return map[dimension]; });
}

/// dot (transpose x), y ─▶ dot x, y
///
/// Holds where the free dimensions of x keep their order, and so their place
/// in the result.
struct TransposedOperand : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
    auto lhsBatching = llvm::to_vector(numbers.getLhsBatchingDimensions());
    auto rhsBatching = llvm::to_vector(numbers.getRhsBatchingDimensions());
    auto lhsContracting =
        llvm::to_vector(numbers.getLhsContractingDimensions());
    auto rhsContracting =
        llvm::to_vector(numbers.getRhsContractingDimensions());
    Value lhs = op.getLhs(), rhs = op.getRhs();
    bool changedLhs = absorbTranspose(lhs, lhsBatching, lhsContracting);
    bool changedRhs = absorbTranspose(rhs, rhsBatching, rhsContracting);
    if (!changedLhs && !changedRhs)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().set(lhs);
      op.getRhsMutable().set(rhs);
      op.setDotDimensionNumbersAttr(DotDimensionNumbersAttr::get(
          op.getContext(), lhsBatching, rhsBatching, lhsContracting,
          rhsContracting));
    });
    return success();
  }

private:
  static bool absorbTranspose(Value &operand, SmallVector<int64_t> &batching,
                              SmallVector<int64_t> &contracting) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return false;
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<int64_t> free;
    for (int64_t d = 0; d < static_cast<int64_t>(permutation.size()); ++d)
      if (!llvm::is_contained(batching, d) &&
          !llvm::is_contained(contracting, d))
        free.push_back(permutation[d]);
    if (!llvm::is_sorted(free))
      return false;
    batching = mapDimensions(batching, permutation);
    contracting = mapDimensions(contracting, permutation);
    operand = transpose.getOperand();
    return true;
  }
};

/// transpose (dot x, y) ─▶ transpose (dot y, x), or dot y, x alone
///
/// Exchanging the factors exchanges their free dimensions in the result. It is
/// done where no transpose remains, or where the one that remains keeps the
/// last dimension in place and so moves whole rows.
struct TransposedResult : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || dot.getAlgorithmAttr())
      return failure();
    SmallVector<int64_t> exchanged = exchangedPositions(dot);
    ArrayRef<int64_t> permutation = op.getPermutation();
    SmallVector<int64_t> remaining = mapDimensions(permutation, exchanged);
    int64_t last = static_cast<int64_t>(permutation.size()) - 1;
    bool isIdentity =
        llvm::equal(remaining, llvm::seq<int64_t>(0, remaining.size()));
    bool keepsRows = permutation.back() != last && remaining.back() == last;
    if (!isIdentity && !keepsRows)
      return failure();

    DotGeneralOp swapped = swapFactors(dot, rewriter);
    if (isIdentity)
      rewriter.replaceOp(op, swapped.getResult());
    else
      rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(),
                                               swapped.getResult(), remaining);
    return success();
  }

private:
  /// For each dimension of the result, where it is after the exchange.
  static SmallVector<int64_t> exchangedPositions(DotGeneralOp dot) {
    DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
    int64_t batch = numbers.getLhsBatchingDimensions().size();
    int64_t contracted = numbers.getLhsContractingDimensions().size();
    int64_t lhsFree = dot.getLhs().getType().getRank() - batch - contracted;
    int64_t rhsFree = dot.getRhs().getType().getRank() - batch - contracted;
    SmallVector<int64_t> positions;
    for (int64_t d = 0; d < batch; ++d)
      positions.push_back(d);
    for (int64_t d = 0; d < lhsFree; ++d)
      positions.push_back(batch + rhsFree + d);
    for (int64_t d = 0; d < rhsFree; ++d)
      positions.push_back(batch + d);
    return positions;
  }

  static DotGeneralOp swapFactors(DotGeneralOp dot, PatternRewriter &rewriter) {
    DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
    auto swappedNumbers = DotDimensionNumbersAttr::get(
        dot.getContext(), numbers.getRhsBatchingDimensions(),
        numbers.getLhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(),
        numbers.getLhsContractingDimensions());
    ArrayAttr precision = dot.getPrecisionConfigAttr();
    if (precision && precision.size() == 2)
      precision = rewriter.getArrayAttr({precision[1], precision[0]});
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(dot);
    return DotGeneralOp::create(rewriter, dot.getLoc(), dot.getRhs(),
                                dot.getLhs(), swappedNumbers, precision,
                                dot.getType().getElementType());
  }
};

} // namespace

void populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposedOperand, TransposedResult>(patterns.getContext());
}

} // namespace shardsmith
