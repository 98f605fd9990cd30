// SPDX-License-Identifier: Apache-2.0

#include "ExpandRowExchanges.h"
#include "ExpandSorts.h"
#include "ExpandTopK.h"
#include "MultiplyConvolutions.h"
#include "SplitConvolutions.h"
#include "TargetPattern.h"
#include "WidenProducts.h"
#include "WidenReductions.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Lower/Common/Target.h"
#include "shardsmith/Support/TensorTypes.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_SIMPLIFYLOCAL
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace {

// reduce(x, [0, 1]) = reduce(reduce(x, [1]), [0])
struct SplitReduction : lower::TargetPattern<stablehlo::ReduceOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = typeOf(op.getInputs().front());
    SmallVector<int64_t> dimensions(op.getDimensions());
    llvm::sort(dimensions);
    int64_t last = input.getRank() - 1;
    if (dimensions.size() < 2 || dimensions.back() != last ||
        input.getNumElements() < target.largeReduction ||
        typeOf(op.getResult(0)).getNumElements() >= target.fewResults)
      return failure();
    auto body = [&](stablehlo::ReduceOp to) {
      rewriter.cloneRegionBefore(op.getBody(), to.getBody(),
                                 to.getBody().end());
    };
    auto rows = stablehlo::ReduceOp::create(rewriter, op.getLoc(),
                                            op.getInputs(), op.getInitValues(),
                                            ArrayRef<int64_t>{last});
    body(rows);
    auto rest = stablehlo::ReduceOp::create(
        rewriter, op.getLoc(), rows.getResults(), op.getInitValues(),
        ArrayRef<int64_t>(dimensions).drop_back());
    body(rest);
    rewriter.replaceOp(op, rest.getResults());
    return success();
  }
};

// reduce(x: [r, c], [0]) = reduce(reduce(x: [p, r / p, c], [1]), [0])
//
// The pieces p are a power of two, so that most sizes have some.
struct SplitColumns : lower::TargetPattern<stablehlo::ReduceOp> {
  using TargetPattern::TargetPattern;

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = typeOf(op.getInputs().front());
    SmallVector<int64_t> dimensions(op.getDimensions());
    llvm::sort(dimensions);
    int64_t leading = dimensions.size();
    if (target.columnPiece == 0 || leading == 0 || leading == input.getRank() ||
        dimensions.back() != leading - 1)
      return failure();
    ArrayRef<int64_t> kept = input.getShape().drop_front(leading);
    int64_t columns = 1;
    for (int64_t size : kept)
      columns *= size;
    int64_t positions = columns ? input.getNumElements() / columns : 0;
    int64_t pieces = 1;
    while (positions / pieces > target.columnPiece &&
           positions % (2 * pieces) == 0 && pieces < target.columnPiece)
      pieces *= 2;
    if (columns >= target.fewColumns || pieces == 1)
      return failure();
    SmallVector<int64_t> shape{pieces, positions / pieces};
    llvm::append_range(shape, kept);
    SmallVector<Value> split;
    for (Value value : op.getInputs())
      split.push_back(stablehlo::ReshapeOp::create(
          rewriter, op.getLoc(),
          RankedTensorType::get(shape, typeOf(value).getElementType()), value));
    ValueRange values(split);
    for (int64_t dimension : {1, 0}) {
      auto reduced = stablehlo::ReduceOp::create(rewriter, op.getLoc(), values,
                                                 op.getInitValues(),
                                                 ArrayRef<int64_t>{dimension});
      rewriter.cloneRegionBefore(op.getBody(), reduced.getBody(),
                                 reduced.getBody().end());
      values = reduced.getResults();
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

// Kernels begin several partial results with the initial value. For a sum or a
// product that is right only if it changes nothing; any other is applied to the
// result, once:
//
//     reduce(x, init = c, +) = c + reduce(x, init = 0, +)
struct ApplyInitialOnce : OpRewritePattern<stablehlo::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Operation *combiner = stablehlo::matchCombiner(op.getBody());
    if (op.getInputs().size() != 1 ||
        !isa_and_nonnull<stablehlo::AddOp, stablehlo::MulOp>(combiner))
      return failure();
    auto scalar = typeOf(op.getInitValues().front());
    Type element = scalar.getElementType();
    // Booleans are combined by or and by and, which may do so often.
    bool isSum = isa<stablehlo::AddOp>(combiner);
    if (!isa<FloatType, IntegerType>(element) || element.isInteger(1) ||
        isNeutral(op.getInitValues().front(), isSum))
      return failure();
    Location location = op.getLoc();
    Attribute neutral =
        isSum ? rewriter.getZeroAttr(element) : rewriter.getOneAttr(element);
    Value begin = stablehlo::ConstantOp::create(
        rewriter, location,
        cast<ElementsAttr>(DenseElementsAttr::get(scalar, neutral)));
    auto reduced = stablehlo::ReduceOp::create(
        rewriter, location, op.getInputs(), begin, op.getDimensions());
    rewriter.inlineRegionBefore(op.getBody(), reduced.getBody(),
                                reduced.getBody().end());
    Value result = reduced.getResult(0);
    Value initial = stablehlo::BroadcastInDimOp::create(
        rewriter, location, result.getType(), op.getInitValues().front(),
        ArrayRef<int64_t>());
    if (isSum)
      rewriter.replaceOpWithNewOp<stablehlo::AddOp>(op, initial, result);
    else
      rewriter.replaceOpWithNewOp<stablehlo::MulOp>(op, initial, result);
    return success();
  }

  static bool isNeutral(Value initial, bool isSum) {
    if (isSum)
      return stablehlo::isZero(initial);
    DenseElementsAttr values;
    if (!matchPattern(initial, m_Constant(&values)) || !values.isSplat())
      return false;
    if (isa<FloatType>(values.getElementType()))
      return values.getSplatValue<APFloat>().isExactlyValue(1.0);
    return values.getSplatValue<APInt>().isOne();
  }
};

// With the split dimension as [n, rest], the exchange is between blocks of
// the first dimension; afterwards n comes before the dimension to join.
//
//     [a, n·s, c] → [n, a, s, c] → exchange → [n, a, s, c] → [a, s, n·c]
struct ExpandAllToAll : OpRewritePattern<smith::AllToAllOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(smith::AllToAllOp op,
                                PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    int64_t split = op.getSplitDim(), join = op.getConcatDim();
    RankedTensorType input = typeOf(op.getInput());
    int64_t members = input.getDimSize(split) /
                      cast<RankedTensorType>(op.getType()).getDimSize(split);
    SmallVector<int64_t> shape(input.getShape());
    shape[split] /= members;
    SmallVector<int64_t> opened(shape);
    opened.insert(opened.begin() + split, members);
    Value blocks =
        stablehlo::ReshapeOp::create(rewriter, location, op.getInput(), opened);
    SmallVector<int64_t> toFront{split};
    for (int64_t d = 0, e = opened.size(); d < e; ++d)
      if (d != split)
        toFront.push_back(d);
    blocks = transpose(rewriter, location, blocks, toFront);
    blocks = smith::ExchangeBlocksOp::create(
        rewriter, location, blocks.getType(), blocks, op.getAxes());
    SmallVector<int64_t> toJoin;
    for (int64_t d = 0, e = shape.size(); d < e; ++d) {
      if (d == join)
        toJoin.push_back(0);
      toJoin.push_back(d + 1);
    }
    blocks = transpose(rewriter, location, blocks, toJoin);
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), blocks);
    return success();
  }

  static Value transpose(OpBuilder &builder, Location location, Value value,
                         ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> shape;
    for (int64_t d : permutation)
      shape.push_back(typeOf(value).getDimSize(d));
    return stablehlo::TransposeOp::create(
        builder, location, typeOf(value).clone(shape), value, permutation);
  }
};

// result[b, m, n] = Σ_k lhs[b, m, k] · rhs[b, k, n], literally. For element
// types that the library does not multiply.
struct ExpandIntegerDot : OpRewritePattern<stablehlo::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    Type element = op.getType().getElementType();
    if (!isa<IntegerType>(element))
      return failure();
    Location location = op.getLoc();
    auto numbers = op.getDotDimensionNumbers();
    RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs());
    // Dimensions of the product: batch, m, n, k.
    SmallVector<int64_t> sizes, lhsPlace(lhs.getRank()),
        rhsPlace(rhs.getRank());
    for (auto [l, r] : llvm::zip_equal(numbers.getLhsBatchingDimensions(),
                                       numbers.getRhsBatchingDimensions())) {
      lhsPlace[l] = rhsPlace[r] = sizes.size();
      sizes.push_back(lhs.getDimSize(l));
    }
    auto addFree = [&](RankedTensorType type, ArrayRef<int64_t> batch,
                       ArrayRef<int64_t> reduced, SmallVector<int64_t> &place) {
      for (int64_t d = 0; d < type.getRank(); ++d) {
        if (llvm::is_contained(batch, d) || llvm::is_contained(reduced, d))
          continue;
        place[d] = sizes.size();
        sizes.push_back(type.getDimSize(d));
      }
    };
    addFree(lhs, numbers.getLhsBatchingDimensions(),
            numbers.getLhsContractingDimensions(), lhsPlace);
    addFree(rhs, numbers.getRhsBatchingDimensions(),
            numbers.getRhsContractingDimensions(), rhsPlace);
    SmallVector<int64_t> reduced;
    for (auto [l, r] : llvm::zip_equal(numbers.getLhsContractingDimensions(),
                                       numbers.getRhsContractingDimensions())) {
      lhsPlace[l] = rhsPlace[r] = sizes.size();
      reduced.push_back(sizes.size());
      sizes.push_back(lhs.getDimSize(l));
    }
    auto spread = [&](Value operand, ArrayRef<int64_t> place) -> Value {
      Value value = stablehlo::ConvertOp::create(
          rewriter, location, typeOf(operand).clone(element), operand);
      // Broadcast dimensions may come in any order.
      return stablehlo::BroadcastInDimOp::create(
          rewriter, location, RankedTensorType::get(sizes, element), value,
          place);
    };
    Value product = stablehlo::MulOp::create(rewriter, location,
                                             spread(op.getLhs(), lhsPlace),
                                             spread(op.getRhs(), rhsPlace));
    if (reduced.empty()) {
      rewriter.replaceOp(op, product);
      return success();
    }
    auto scalar = RankedTensorType::get({}, element);
    Value zero = stablehlo::ConstantOp::create(
        rewriter, location,
        cast<ElementsAttr>(
            DenseElementsAttr::get(scalar, rewriter.getZeroAttr(element))));
    auto sum =
        stablehlo::ReduceOp::create(rewriter, location, product, zero, reduced);
    Block *body = rewriter.createBlock(&sum.getBody(), {}, {scalar, scalar},
                                       {location, location});
    Value total = stablehlo::AddOp::create(
        rewriter, location, body->getArgument(0), body->getArgument(1));
    stablehlo::ReturnOp::create(rewriter, location, total);
    rewriter.replaceOp(op, sum.getResults());
    return success();
  }
};

// x + scatter-add(zeros, updates) = scatter-add(x, updates)
struct ScatterIntoSum : OpRewritePattern<stablehlo::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::AddOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned side : {0, 1}) {
      auto scatter = op->getOperand(side).getDefiningOp<stablehlo::ScatterOp>();
      if (!scatter || !scatter->hasOneUse() ||
          scatter.getInputs().size() != 1 ||
          !stablehlo::isZero(scatter.getInputs().front()) ||
          !addsUpdates(scatter))
        continue;
      // The sum is where both operands are known.
      IRMapping mapping;
      mapping.map(scatter.getInputs().front(), op->getOperand(1 - side));
      Operation *moved = rewriter.clone(*scatter, mapping);
      rewriter.replaceOp(op, moved->getResults());
      return success();
    }
    return failure();
  }

  static bool addsUpdates(stablehlo::ScatterOp scatter) {
    return isa_and_nonnull<stablehlo::AddOp>(
        stablehlo::matchCombiner(scatter.getUpdateComputation()));
  }
};

/// A pad with zeros along one dimension: `operand` begins at `start`.
struct PlacedPiece {
  Value operand;
  int64_t start;
};

// The gradients of slices are pads that are summed. Where the slices do not
// overlap, the sum is a concatenation, with zeros in the gaps:
//
//     pad(a) + pad(b) + pad(c)      a a a . . . .
//                                 + . . . b b . .
//                                 + . . . . . c c   =  a a a b b c c
struct JoinPads : OpRewritePattern<stablehlo::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::AddOp op,
                                PatternRewriter &rewriter) const override {
    // Start from the last addition of a chain.
    if (op->hasOneUse() && isa<stablehlo::AddOp>(*op->getUsers().begin()))
      return failure();
    SmallVector<PlacedPiece> pieces;
    int64_t dimension = -1;
    if (!collect(op, dimension, pieces, /*isRoot=*/true))
      return failure();
    llvm::sort(pieces, [](const PlacedPiece &a, const PlacedPiece &b) {
      return a.start < b.start;
    });
    RankedTensorType type = typeOf(op.getResult());
    SmallVector<Value> parts;
    int64_t end = 0;
    auto fill = [&](int64_t until) {
      if (until == end)
        return;
      SmallVector<int64_t> shape(type.getShape());
      shape[dimension] = until - end;
      auto gap = type.clone(shape);
      parts.push_back(stablehlo::ConstantOp::create(
          rewriter, op.getLoc(),
          cast<ElementsAttr>(DenseElementsAttr::get(
              gap, rewriter.getZeroAttr(type.getElementType())))));
      end = until;
    };
    for (const PlacedPiece &piece : pieces)
      if (piece.start < end)
        return failure();
      else
        end = piece.start + typeOf(piece.operand).getDimSize(dimension);
    end = 0;
    for (const PlacedPiece &piece : pieces) {
      fill(piece.start);
      parts.push_back(piece.operand);
      end += typeOf(piece.operand).getDimSize(dimension);
    }
    fill(type.getDimSize(dimension));
    rewriter.replaceOpWithNewOp<stablehlo::ConcatenateOp>(op, type, parts,
                                                          dimension);
    return success();
  }

  static bool collect(Value value, int64_t &dimension,
                      SmallVectorImpl<PlacedPiece> &pieces, bool isRoot) {
    Operation *op = value.getDefiningOp();
    if (!op || (!isRoot && !op->hasOneUse()))
      return false;
    if (isa<stablehlo::AddOp>(op))
      return collect(op->getOperand(0), dimension, pieces, false) &&
             collect(op->getOperand(1), dimension, pieces, false);
    auto pad = dyn_cast<stablehlo::PadOp>(op);
    if (!pad || !stablehlo::isZero(pad.getPaddingValue()))
      return false;
    for (auto [d, low] : llvm::enumerate(pad.getEdgePaddingLow())) {
      int64_t high = pad.getEdgePaddingHigh()[d];
      if (pad.getInteriorPadding()[d] != 0 || low < 0 || high < 0)
        return false;
      if (low == 0 && high == 0)
        continue;
      if (dimension >= 0 && dimension != static_cast<int64_t>(d))
        return false;
      dimension = d;
    }
    if (dimension < 0)
      return false;
    pieces.push_back({pad.getOperand(), pad.getEdgePaddingLow()[dimension]});
    return true;
  }
};

struct SimplifyLocal : impl::SimplifyLocalBase<SimplifyLocal> {
  using SimplifyLocalBase::SimplifyLocalBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ApplyInitialOnce, ExpandAllToAll, ExpandIntegerDot, JoinPads,
                 ScatterIntoSum>(&getContext());
    patterns.add<SplitColumns, SplitReduction>(&getContext(), *traits);
    lower::populateTopKPatterns(patterns, *traits);
    lower::populateProductPatterns(patterns, *traits);
    lower::populateReductionPatterns(patterns, *traits);
    lower::populateSortPatterns(patterns, *traits);
    if (traits->multipliesConvolutions)
      lower::populateConvolutionProductPatterns(patterns, *traits);
    lower::populateConvolutionSplitPatterns(patterns, *traits);
    if (!traits->exchangesRows)
      lower::populateRowExchangePatterns(patterns);
    populateEmptyTensorPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
