// SPDX-License-Identifier: Apache-2.0

#include "ExpandTopK.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Lower/Common/Target.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_SIMPLIFYLOCAL
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

// reduce(x, [0, 1]) = reduce(reduce(x, [1]), [0])
struct SplitReduction : OpRewritePattern<stablehlo::ReduceOp> {
  SplitReduction(MLIRContext *context, const lower::TargetTraits &target)
      : OpRewritePattern(context), target(target) {}

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

  const lower::TargetTraits &target;
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
    if (isa<FloatType>(element))
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
    patterns.add<ExpandAllToAll, ExpandIntegerDot, JoinPads, ScatterIntoSum>(
        &getContext());
    patterns.add<SplitReduction>(&getContext(), *traits);
    lower::populateTopKPatterns(patterns);
    populateEmptyTensorPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
