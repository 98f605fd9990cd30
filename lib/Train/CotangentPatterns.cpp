// SPDX-License-Identifier: Apache-2.0

#include "SimplifyPatterns.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// The constant that a value repeats, or the value itself.
Value withoutBroadcasts(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  return value;
}

/// A value that fills an interval of one dimension, with zeros around it.
struct PaddedPart {
  Value part;
  int64_t dimension;
  int64_t start;
  int64_t end;
};

std::optional<PaddedPart> matchPaddedPart(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  bool isPlain =
      pad && matchPattern(pad.getPaddingValue(), m_AnyZeroFloat()) &&
      llvm::all_of(pad.getInteriorPadding(), [](int64_t n) { return n == 0; });
  if (!isPlain)
    return std::nullopt;
  std::optional<PaddedPart> found;
  ArrayRef<int64_t> shape = pad.getOperand().getType().getShape();
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    int64_t low = pad.getEdgePaddingLow()[dimension];
    int64_t high = pad.getEdgePaddingHigh()[dimension];
    if (low < 0 || high < 0)
      return std::nullopt;
    if (low == 0 && high == 0)
      continue;
    if (found)
      return std::nullopt;
    found = {pad.getOperand(), static_cast<int64_t>(dimension), low,
             low + size};
  }
  return found;
}

/// Slices of one value give back their cotangents as parts side by side:
///
///     add (pad a: a a 0 0 0), (pad b: 0 0 b b 0)
///       ─▶ pad (concatenate a, b): a a b b 0
struct SumOfParts : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<PaddedPart> first = matchPaddedPart(op.getLhs());
    std::optional<PaddedPart> second = matchPaddedPart(op.getRhs());
    if (!first || !second || first->dimension != second->dimension)
      return failure();
    if (first->start > second->start)
      std::swap(first, second);
    if (first->end != second->start)
      return failure();

    int64_t dimension = first->dimension;
    Location loc = op.getLoc();
    Value joined = ConcatenateOp::create(
        rewriter, loc, ValueRange{first->part, second->part}, dimension);
    int64_t size = cast<RankedTensorType>(op.getType()).getDimSize(dimension);
    if (first->start == 0 && second->end == size) {
      rewriter.replaceOp(op, joined);
      return success();
    }
    SmallVector<int64_t> low(cast<RankedTensorType>(op.getType()).getRank(), 0);
    SmallVector<int64_t> high = low, interior = low;
    low[dimension] = first->start;
    high[dimension] = size - second->end;
    Value zero = op.getLhs().getDefiningOp<PadOp>().getPaddingValue();
    rewriter.replaceOpWithNewOp<PadOp>(op, joined, zero, low, high, interior);
    return success();
  }
};

/// concatenate (concatenate a, b), c ─▶ concatenate a, b, c
///
/// An op whose split is decided keeps its operands: axes are given for each.
struct NestedConcatenation : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr(smith::kFactorAxesAttributeName))
      return failure();
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatenateOp>();
      if (inner && inner.getDimension() == op.getDimension())
        llvm::append_range(inputs, inner.getInputs());
      else
        inputs.push_back(input);
    }
    if (inputs.size() == op.getInputs().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(inputs);
      // The rule has a factor per operand, so axes of the old ones do not fit.
      op->removeAttr(smith::kFactorAxesAttributeName);
    });
    return success();
  }
};

/// x * 1 ─▶ x;  x / 1 ─▶ x
template <typename OpTy> struct FactorOfOne : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isCommutative = std::is_same_v<OpTy, MulOp>;
    if (matchPattern(withoutBroadcasts(op.getRhs()), m_OneFloat())) {
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    if (isCommutative &&
        matchPattern(withoutBroadcasts(op.getLhs()), m_OneFloat())) {
      rewriter.replaceOp(op, op.getRhs());
      return success();
    }
    return failure();
  }
};

/// a + -b ─▶ a - b
struct SumWithNegation : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned index : {1u, 0u}) {
      auto negation = op->getOperand(index).getDefiningOp<NegOp>();
      if (!negation || !negation->hasOneUse())
        continue;
      rewriter.replaceOpWithNewOp<SubtractOp>(op, op->getOperand(1 - index),
                                              negation.getOperand());
      return success();
    }
    return failure();
  }
};

} // namespace

void populateCotangentPatterns(RewritePatternSet &patterns) {
  patterns.add<FactorOfOne<DivOp>, FactorOfOne<MulOp>, NestedConcatenation,
               SumOfParts, SumWithNegation>(patterns.getContext());
}

} // namespace shardsmith
