// SPDX-License-Identifier: Apache-2.0
//
// Windows over a repeated scalar, as means that do not count padding divide
// by. Without padding every window is the same; with it, windows differ along
// the dimensions that have them only:
//
//     sum of windows of 2 x 2 over v   ─▶ 4 v, broadcast
//     windows over broadcast v         ─▶ broadcast of windows over
//         [8, 16, 16, 3], 2 x 2             [1, 16, 16, 1]

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

using namespace mlir;

namespace shardsmith {
namespace {

using namespace stablehlo;

/// The scalar constant that a tensor repeats, or null.
DenseElementsAttr repeatedConstant(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
                 isa<FloatType>(elements.getElementType())
             ? elements
             : nullptr;
}

/// What is the same of all windows along a dimension.
struct Extent {
  bool isPadded = false, hasWindow = false;
};

SmallVector<Extent> extentsOf(ReduceWindowOp op) {
  auto isOne = [](std::optional<ArrayRef<int64_t>> values, size_t d) {
    return !values || (*values)[d] == 1;
  };
  SmallVector<Extent> extents;
  for (auto [d, size] : llvm::enumerate(op.getWindowDimensions())) {
    Extent extent;
    if (op.getPadding()) {
      auto padding = op.getPadding()->getValues<int64_t>();
      // Negative padding leaves elements of the operand out.
      extent.isPadded = padding[2 * d] > 0 || padding[2 * d + 1] > 0;
      extent.hasWindow = padding[2 * d] != 0 || padding[2 * d + 1] != 0;
    }
    extent.isPadded |= !isOne(op.getBaseDilations(), d);
    extent.hasWindow |=
        size != 1 || extent.isPadded || !isOne(op.getWindowStrides(), d);
    extents.push_back(extent);
  }
  return extents;
}

struct ConstantWindows : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceWindowOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || op->getNumResults() != 1)
      return failure();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto inputType = cast<RankedTensorType>(op.getInputs().front().getType());
    DenseElementsAttr value = repeatedConstant(op.getInputs().front());
    if (!value || type.getNumElements() == 0)
      return failure();
    SmallVector<Extent> extents = extentsOf(op);
    if (llvm::none_of(extents, [](const Extent &e) { return e.isPadded; }))
      return foldWhole(op, value, type, rewriter);
    return shrink(op, value, inputType, type, extents, rewriter);
  }

private:
  /// Every window holds the same elements.
  static LogicalResult foldWhole(ReduceWindowOp op, DenseElementsAttr value,
                                 RankedTensorType type,
                                 PatternRewriter &rewriter) {
    double v = value.getSplatValue<APFloat>().convertToDouble();
    auto start = repeatedConstant(op.getInitValues().front());
    std::optional<ReductionKind> kind = matchReduction(op.getBody());
    if (!start || !kind)
      return failure();
    double init = start.getSplatValue<APFloat>().convertToDouble();
    double elements = 1;
    for (int64_t size : op.getWindowDimensions())
      elements *= static_cast<double>(size);
    double result = 0;
    switch (*kind) {
    case ReductionKind::Sum:
      result = init + elements * v;
      break;
    case ReductionKind::Max:
      result = std::max(init, v);
      break;
    case ReductionKind::Min:
      result = std::min(init, v);
      break;
    default:
      return failure();
    }
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, filled(builder, type, result).value());
    return success();
  }

  /// Dimensions without windows need one element only.
  static LogicalResult shrink(ReduceWindowOp op, DenseElementsAttr value,
                              RankedTensorType inputType, RankedTensorType type,
                              ArrayRef<Extent> extents,
                              PatternRewriter &rewriter) {
    SmallVector<int64_t> from(inputType.getShape()), to(type.getShape()), kept;
    bool shrinks = false;
    for (auto [d, extent] : llvm::enumerate(extents)) {
      kept.push_back(static_cast<int64_t>(d));
      if (extent.hasWindow || from[d] == 1)
        continue;
      from[d] = to[d] = 1;
      shrinks = true;
    }
    if (!shrinks)
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    double v = value.getSplatValue<APFloat>().convertToDouble();
    Value operand = filled(builder, inputType.clone(from), v).value();
    auto small = ReduceWindowOp::create(
        rewriter, op.getLoc(), TypeRange{type.clone(to)}, ValueRange{operand},
        op.getInitValues(), op.getWindowDimensionsAttr(),
        op.getWindowStridesAttr(), op.getBaseDilationsAttr(),
        op.getWindowDilationsAttr(), op.getPaddingAttr());
    rewriter.cloneRegionBefore(op.getBody(), small.getBody(),
                               small.getBody().end());
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, type, small.getResult(0),
                                                  kept);
    return success();
  }
};

} // namespace

void populateConstantWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<ConstantWindows>(patterns.getContext());
}

} // namespace shardsmith
