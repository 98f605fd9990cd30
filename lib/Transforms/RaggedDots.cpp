// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Transforms/RaggedDots.h"

#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"

using namespace mlir;

namespace shardsmith {

std::optional<RowsByMatrices> RowsByMatrices::of(chlo::RaggedDotOp op) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  bool isPlain = op.getLhs().getType().getRank() == 2 &&
                 op.getRhs().getType().getRank() == 3 &&
                 op.getGroupSizes().getType().getRank() == 1 &&
                 isa<FloatType>(op.getType().getElementType()) &&
                 numbers.getLhsBatchingDimensions().empty() &&
                 numbers.getLhsContractingDimensions().size() == 1 &&
                 numbers.getRhsGroupDimensions().size() == 1;
  if (!isPlain)
    return std::nullopt;
  RowsByMatrices result;
  result.contracted = numbers.getLhsContractingDimensions().front();
  result.group = numbers.getRhsGroupDimensions().front();
  result.rhsContracted = numbers.getRhsContractingDimensions().front();
  result.rhsFree = 0 + 1 + 2 - result.group - result.rhsContracted;
  return result;
}

Value RowsByMatrices::rows(ImplicitLocOpBuilder &builder, Value left) const {
  return transpose({builder, left}, {1 - contracted, contracted});
}

Value RowsByMatrices::matrices(ImplicitLocOpBuilder &builder,
                               Value right) const {
  SmallVector<int64_t, 3> order{group};
  order.push_back(isTransposed() ? rhsFree : rhsContracted);
  order.push_back(isTransposed() ? rhsContracted : rhsFree);
  return transpose({builder, right}, order);
}

namespace {

using stablehlo::ComparisonDirection;

/// The group of each of `rows` rows, as i32: how many groups end at the row or
/// before it. Rows behind the last group get the number of groups.
Value groupOfRows(ImplicitLocOpBuilder &builder, Value groupSizes,
                  int64_t rows) {
  TensorValue sizes =
      convert(TensorValue(builder, groupSizes), builder.getI32Type());
  int64_t groups = sizes.shape()[0];
  auto pairs = sizes.type().clone({groups, groups});
  // ends[g] = the sum of sizes[h] over h ≤ g
  TensorValue row = iota(builder, pairs, 0);
  TensorValue column = iota(builder, pairs, 1);
  TensorValue isBefore = compare(column, ComparisonDirection::LE, row);
  TensorValue spread = broadcastInDim(sizes, {groups, groups}, {1});
  TensorValue ends = sum(select(isBefore, spread, spread.filled(0.0)), {1});
  auto all = sizes.type().clone({rows, groups});
  TensorValue hasEnded =
      compare(broadcastInDim(ends, {rows, groups}, {1}),
              ComparisonDirection::LE, iota(builder, all, 0));
  return sum(convert(hasEnded, builder.getI32Type()), {1});
}

/// Rows by a matrix per group.
struct RowsByMatricesPattern : OpRewritePattern<chlo::RaggedDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::RaggedDotOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<RowsByMatrices> product = RowsByMatrices::of(op);
    if (!product)
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value rows = product->rows(builder, op.getLhs());
    Value groups =
        groupOfRows(builder, op.getGroupSizes(), op.getType().getDimSize(0));
    Value matrices = product->matrices(builder, op.getRhs());
    auto dot = smith::GroupedDotOp::create(builder, op.getType(), rows, groups,
                                           matrices, product->isTransposed());
    rewriter.replaceOp(op, dot.getResult());
    return success();
  }
};

/// Rows are what is summed over: `[m, k] [m, n]` to a matrix per group.
struct SumsPerGroupPattern : OpRewritePattern<chlo::RaggedDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::RaggedDotOp op,
                                PatternRewriter &rewriter) const override {
    auto numbers = op.getRaggedDotDimensionNumbers();
    bool isPlain = op.getLhs().getType().getRank() == 2 &&
                   op.getRhs().getType().getRank() == 2 &&
                   op.getGroupSizes().getType().getRank() == 1 &&
                   isa<FloatType>(op.getType().getElementType()) &&
                   numbers.getRhsGroupDimensions().empty() &&
                   numbers.getLhsBatchingDimensions().empty() &&
                   numbers.getLhsContractingDimensions().size() == 1 &&
                   numbers.getLhsContractingDimensions() ==
                       numbers.getLhsRaggedDimensions();
    if (!isPlain)
      return failure();
    int64_t left = numbers.getLhsContractingDimensions().front();
    int64_t right = numbers.getRhsContractingDimensions().front();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value lhs = transpose({builder, op.getLhs()}, {left, 1 - left});
    Value rhs = transpose({builder, op.getRhs()}, {right, 1 - right});
    Value groups = groupOfRows(builder, op.getGroupSizes(),
                               op.getLhs().getType().getDimSize(left));
    rewriter.replaceOpWithNewOp<smith::GroupedOuterOp>(op, op.getType(), lhs,
                                                       groups, rhs);
    return success();
  }
};

} // namespace

void populateRaggedDotPatterns(RewritePatternSet &patterns) {
  patterns.add<RowsByMatricesPattern, SumsPerGroupPattern>(
      patterns.getContext());
}

} // namespace shardsmith
