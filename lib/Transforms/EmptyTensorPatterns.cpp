// SPDX-License-Identifier: Apache-2.0
//
// Tensors without elements take no part in a computation:
//
//     a result without elements        ─▶ an empty constant
//     concatenate a, empty, b          ─▶ concatenate a, b
//     pad empty                        ─▶ the padding value, broadcast
//     reduce empty                     ─▶ the initial value, broadcast
//     dot, convolution with an empty
//         operand                      ─▶ zeros
//     scatter, update of nothing       ─▶ the operand

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

using namespace mlir;

namespace shardsmith {
namespace {

using namespace stablehlo;

bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

bool isEmpty(Value value) { return isEmpty(value.getType()); }

/// Integers, booleans and floats: what constants without elements may have.
bool hasPlainElements(Type type) {
  return isa<IntegerType, FloatType>(
      cast<RankedTensorType>(type).getElementType());
}

Value broadcastScalar(PatternRewriter &rewriter, Location location,
                      Value scalar, Type type) {
  return BroadcastInDimOp::create(rewriter, location, type, scalar,
                                  ArrayRef<int64_t>{});
}

Value zeros(PatternRewriter &rewriter, Location location, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto scalar = tensor.clone(ArrayRef<int64_t>{});
  Value zero = ConstantOp::create(
      rewriter, location, cast<ElementsAttr>(rewriter.getZeroAttr(scalar)));
  return broadcastScalar(rewriter, location, zero, type);
}

/// Ops whose results are all empty, and that do nothing else.
struct EmptyResults : RewritePattern {
  explicit EmptyResults(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<StableHLODialect>(op->getDialect()) ||
        isa<ConstantOp>(op) || op->getNumResults() == 0 ||
        !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getResultTypes(), [](Type type) {
          return isEmpty(type) && hasPlainElements(type);
        }))
      return failure();
    SmallVector<Value> constants;
    for (Type type : op->getResultTypes())
      constants.push_back(ConstantOp::create(
          rewriter, op->getLoc(),
          cast<ElementsAttr>(DenseElementsAttr::get(cast<ShapedType>(type),
                                                    ArrayRef<Attribute>{}))));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

struct EmptyParts : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value part : op.getInputs())
      if (!isEmpty(part))
        parts.push_back(part);
    if (parts.empty() || parts.size() == op.getInputs().size())
      return failure();
    if (parts.size() == 1)
      rewriter.replaceOp(op, parts);
    else
      rewriter.replaceOpWithNewOp<ConcatenateOp>(op, op.getType(), parts,
                                                 op.getDimension());
    return success();
  }
};

struct EmptyPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getOperand()) || isEmpty(op.getResult()))
      return failure();
    rewriter.replaceOp(op, broadcastScalar(rewriter, op.getLoc(),
                                           op.getPaddingValue(), op.getType()));
    return success();
  }
};

struct EmptyReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getInputs().front()) || isEmpty(op.getResult(0)))
      return failure();
    SmallVector<Value> starts;
    for (auto [init, type] :
         llvm::zip_equal(op.getInitValues(), op.getResultTypes()))
      starts.push_back(broadcastScalar(rewriter, op.getLoc(), init, type));
    rewriter.replaceOp(op, starts);
    return success();
  }
};

/// A sum of no products. Complex elements are left alone.
template <typename OpTy> struct EmptyProduct : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if ((!isEmpty(op.getLhs()) && !isEmpty(op.getRhs())) ||
        isEmpty(op.getResult()) || !hasPlainElements(op.getType()))
      return failure();
    rewriter.replaceOp(op, zeros(rewriter, op.getLoc(), op.getType()));
    return success();
  }
};

struct EmptyScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getUpdates().front()))
      return failure();
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

struct EmptyUpdate : OpRewritePattern<DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getUpdate()))
      return failure();
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

} // namespace

void populateEmptyTensorPatterns(RewritePatternSet &patterns) {
  patterns.add<EmptyPad, EmptyParts, EmptyProduct<ConvolutionOp>,
               EmptyProduct<DotGeneralOp>, EmptyReduce, EmptyResults,
               EmptyScatter, EmptyUpdate>(patterns.getContext());
}

} // namespace shardsmith
