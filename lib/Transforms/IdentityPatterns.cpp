// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// broadcast (broadcast x) ─▶ broadcast x
struct BroadcastTwice : OpRewritePattern<stablehlo::BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dimensions;
    for (int64_t dimension : inner.getBroadcastDimensions())
      dimensions.push_back(op.getBroadcastDimensions()[dimension]);
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), inner.getOperand(), dimensions);
    return success();
  }
};

/// reshape (reshape x) ─▶ reshape x
struct ReshapeTwice : OpRewritePattern<stablehlo::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(),
                                                      inner.getOperand());
    return success();
  }
};

/// transpose (transpose x) ─▶ transpose x
struct TransposeTwice : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dimension : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dimension]);
    rewriter.replaceOpWithNewOp<stablehlo::TransposeOp>(
        op, op.getType(), inner.getOperand(), permutation);
    return success();
  }
};

/// slice (slice x) ─▶ slice x
struct SliceTwice : OpRewritePattern<stablehlo::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::SliceOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> starts, limits, strides;
    for (size_t dim = 0; dim < op.getStartIndices().size(); ++dim) {
      int64_t stride = inner.getStrides()[dim];
      int64_t start = inner.getStartIndices()[dim];
      starts.push_back(start + op.getStartIndices()[dim] * stride);
      // The inner limit bounds a last, incomplete stride.
      limits.push_back(std::min(start + op.getLimitIndices()[dim] * stride,
                                inner.getLimitIndices()[dim]));
      strides.push_back(op.getStrides()[dim] * stride);
    }
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
        op, op.getType(), inner.getOperand(), starts, limits, strides);
    return success();
  }
};

/// A constant of one value everywhere, also where it is broadcast.
bool matchSplat(Value value, DenseElementsAttr &splat) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  return matchPattern(value, m_Constant(&splat)) && splat.isSplat();
}

/// Whether `op` gives back its other operand if operand `index` is `splat`
/// everywhere, for every value of the other one: NaN, infinities and -0 too.
bool isNeutral(Operation *op, unsigned index, DenseElementsAttr splat) {
  Type element = splat.getElementType();
  if (isa<stablehlo::AndOp>(op))
    return splat.getSplatValue<APInt>().isAllOnes();
  if (!isa<FloatType>(element))
    return false;
  APFloat value = splat.getSplatValue<APFloat>();
  if (isa<stablehlo::MaxOp>(op))
    return value.isInfinity() && value.isNegative();
  if (isa<stablehlo::MulOp>(op))
    return value.isExactlyValue(1.0);
  if (isa<stablehlo::DivOp>(op))
    return index == 1 && value.isExactlyValue(1.0);
  if (isa<stablehlo::SubtractOp>(op))
    return index == 1 && value.isPosZero();
  return false;
}

/// maximum x, -inf ─▶ x and the like. The folders do this for constants; here
/// scalars may be broadcast in between.
template <typename Op> struct NeutralOperand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    for (unsigned index : {0, 1}) {
      DenseElementsAttr splat;
      if (!matchSplat(op->getOperand(index), splat) ||
          !isNeutral(op, index, splat))
        continue;
      rewriter.replaceOp(op, op->getOperand(1 - index));
      return success();
    }
    return failure();
  }
};

/// select true, x, y ─▶ x; select false, x, y ─▶ y
struct SelectOfKnown : OpRewritePattern<stablehlo::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::SelectOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr splat;
    if (!matchSplat(op.getPred(), splat))
      return failure();
    bool predicate = splat.getSplatValue<bool>();
    rewriter.replaceOp(op, predicate ? op.getOnTrue() : op.getOnFalse());
    return success();
  }
};

/// A reduction with `and` from true along dimensions of one element ─▶
/// reshape. JAX makes these to see whether an index vector is in bounds.
struct AndOfOne : OpRewritePattern<stablehlo::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr init;
    if (op.getInputs().size() != 1 ||
        !matchPattern(op.getInitValues().front(), m_Constant(&init)))
      return failure();
    auto shape =
        cast<RankedTensorType>(op.getInputs().front().getType()).getShape();
    for (int64_t dimension : op.getDimensions())
      if (shape[dimension] != 1)
        return failure();
    Block &body = op.getBody().front();
    if (!llvm::hasNItems(body, 2) || !isa<stablehlo::AndOp>(body.front()) ||
        !init.getSplatValue<APInt>().isAllOnes() ||
        body.front().getOperands() != body.getArguments())
      return failure();
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(
        op, op->getResult(0).getType(), op.getInputs().front());
    return success();
  }
};

/// A reduction along no dimension ─▶ the body's op on the initial value and
/// each element.
struct ReduceAlongNothing : OpRewritePattern<stablehlo::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    if (!op.getDimensions().empty() || op.getInputs().size() != 1 ||
        !llvm::hasNItems(body, 2) ||
        body.front().getOperands() != body.getArguments())
      return failure();
    Type type = op->getResult(0).getType();
    Value init = stablehlo::BroadcastInDimOp::create(
        rewriter, op.getLoc(), type, op.getInitValues().front(),
        ArrayRef<int64_t>());
    Operation *combined = rewriter.clone(body.front());
    rewriter.modifyOpInPlace(combined, [&] {
      combined->setOperands({init, op.getInputs().front()});
      combined->getResult(0).setType(type);
    });
    rewriter.replaceOp(op, combined);
    return success();
  }
};

/// chlo.square x ─▶ multiply x, x
struct SquareAsProduct : OpRewritePattern<chlo::SquareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::SquareOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<stablehlo::MulOp>(op, op.getOperand(),
                                                  op.getOperand());
    return success();
  }
};

/// clamp of constants ─▶ minimum and maximum, which fold
struct ClampOfKnown : OpRewritePattern<stablehlo::ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ClampOp op,
                                PatternRewriter &rewriter) const override {
    for (Value operand : op->getOperands())
      if (operand.getType() != op.getType() ||
          !matchPattern(operand, m_Constant()))
        return failure();
    Value below = stablehlo::MinOp::create(rewriter, op.getLoc(),
                                           op.getOperand(), op.getMax());
    rewriter.replaceOpWithNewOp<stablehlo::MaxOp>(op, op.getMin(), below);
    return success();
  }
};

/// The branch that a constant selects, in place of an if or case.
template <typename Conditional>
struct KnownBranch : OpRewritePattern<Conditional> {
  using OpRewritePattern<Conditional>::OpRewritePattern;

  LogicalResult matchAndRewrite(Conditional op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr choice;
    if (!matchPattern(op->getOperand(0), m_Constant(&choice)))
      return failure();
    APInt value = *choice.template value_begin<APInt>();
    unsigned branch;
    if constexpr (std::is_same_v<Conditional, stablehlo::IfOp>)
      branch = value.getBoolValue() ? 0 : 1;
    else
      branch =
          std::min<uint64_t>(value.getLimitedValue(), op->getNumRegions() - 1);
    Block &body = op->getRegion(branch).front();
    Operation *terminator = body.getTerminator();
    SmallVector<Value> values(terminator->getOperands());
    rewriter.eraseOp(terminator);
    rewriter.inlineBlockBefore(&body, op);
    rewriter.replaceOp(op, values);
    return success();
  }
};

} // namespace

void populateIdentityPatterns(RewritePatternSet &patterns) {
  patterns.add<
      AndOfOne, BroadcastTwice, ClampOfKnown, KnownBranch<stablehlo::CaseOp>,
      KnownBranch<stablehlo::IfOp>, NeutralOperand<stablehlo::AndOp>,
      NeutralOperand<stablehlo::DivOp>, NeutralOperand<stablehlo::MaxOp>,
      NeutralOperand<stablehlo::MulOp>, NeutralOperand<stablehlo::SubtractOp>,
      ReduceAlongNothing, ReshapeTwice, SelectOfKnown, SliceTwice,
      SquareAsProduct, TransposeTwice>(patterns.getContext());
}

} // namespace shardsmith
