// SPDX-License-Identifier: Apache-2.0
//
// What lax.scan stacks, and what it takes from a stack, as plain values:
//
//   %s1 = dynamic_update_slice %zeros, %a, 0       %s1 [a | 0 | 0]
//   %s2 = dynamic_update_slice %s1,    %b, 1       %s2 [a | b | 0]
//   %s3 = dynamic_update_slice %s2,    %c, 2       %s3 [a | b | c]
//   slice %s3 [1:2]          ─▶  %b
//   any other use of %s3     ─▶  concatenate %a, %b, %c

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"
#include "shardsmith/Transforms/SimplifyPatterns.h"

#include "mlir/IR/Matchers.h"

#include <optional>

using namespace mlir;

namespace shardsmith {
namespace {

using Position = SmallVector<int64_t>;

/// Start positions that are all constants, clamped as the ops define it: a
/// slice of `sizes` must lie inside `shape`.
std::optional<Position> constantStarts(OperandRange starts,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> sizes) {
  Position position;
  for (auto [start, extent, size] : llvm::zip_equal(starts, shape, sizes)) {
    DenseIntElementsAttr value;
    if (!matchPattern(start, m_Constant(&value)))
      return std::nullopt;
    APInt index = *value.value_begin<APInt>();
    bool isUnsigned = value.getElementType().isUnsignedInteger();
    int64_t wanted = isUnsigned ? static_cast<int64_t>(index.getLimitedValue(
                                      std::numeric_limits<int64_t>::max()))
                                : index.getSExtValue();
    position.push_back(std::clamp<int64_t>(wanted, 0, extent - size));
  }
  return position;
}

std::optional<Position> constantStarts(stablehlo::DynamicUpdateSliceOp op) {
  return constantStarts(op.getStartIndices(), shapeOf(op.getOperand()),
                        shapeOf(op.getUpdate()));
}

/// How the box [start, limit) lies to the box of `sizes` at `origin`.
enum class Overlap { None, Inside, Partial };

Overlap overlapOf(ArrayRef<int64_t> start, ArrayRef<int64_t> limit,
                  ArrayRef<int64_t> origin, ArrayRef<int64_t> sizes) {
  Overlap overlap = Overlap::Inside;
  for (auto [from, to, at, size] :
       llvm::zip_equal(start, limit, origin, sizes)) {
    if (to <= at || at + size <= from)
      return Overlap::None;
    if (from < at || to > at + size)
      overlap = Overlap::Partial;
  }
  return overlap;
}

/// dynamic_slice at constant positions ─▶ slice
struct StaticSlice : OpRewritePattern<stablehlo::DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto starts = constantStarts(op.getStartIndices(), shapeOf(op.getOperand()),
                                 op.getSliceSizes());
    if (!starts)
      return failure();
    Position limits, strides(starts->size(), 1);
    for (auto [start, size] : llvm::zip_equal(*starts, op.getSliceSizes()))
      limits.push_back(start + size);
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
        op, op.getType(), op.getOperand(), *starts, limits, strides);
    return success();
  }
};

/// A slice of a value that was put together ─▶ a slice of the part it lies in
struct SliceOfPart : OpRewritePattern<stablehlo::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::SliceOp op,
                                PatternRewriter &rewriter) const override {
    Value source = op.getOperand();
    Position start(op.getStartIndices()), limit(op.getLimitIndices());
    while (stepInto(source, start, limit)) {
    }
    if (source == op.getOperand())
      return failure();
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
        op, op.getType(), source, start, limit, op.getStrides());
    return success();
  }

private:
  /// Moves `source` to the operand of its op that holds all of the slice.
  static bool stepInto(Value &source, Position &start, Position &limit) {
    if (auto update = source.getDefiningOp<stablehlo::DynamicUpdateSliceOp>()) {
      auto origin = constantStarts(update);
      if (!origin)
        return false;
      switch (overlapOf(start, limit, *origin, shapeOf(update.getUpdate()))) {
      case Overlap::Partial:
        return false;
      case Overlap::None:
        source = update.getOperand();
        return true;
      case Overlap::Inside:
        source = update.getUpdate();
        shift(start, limit, *origin);
        return true;
      }
    }
    auto concatenate = source.getDefiningOp<stablehlo::ConcatenateOp>();
    if (!concatenate)
      return false;
    int64_t dim = concatenate.getDimension();
    Position origin(start.size(), 0);
    for (Value part : concatenate.getInputs()) {
      int64_t size = shapeOf(part)[dim];
      if (origin[dim] <= start[dim] && limit[dim] <= origin[dim] + size) {
        source = part;
        shift(start, limit, origin);
        return true;
      }
      origin[dim] += size;
    }
    return false;
  }

  static void shift(Position &start, Position &limit,
                    ArrayRef<int64_t> origin) {
    for (auto [from, to, at] : llvm::zip_equal(start, limit, origin)) {
      from -= at;
      to -= at;
    }
  }
};

/// One element of an iota along its dimension ─▶ constant
struct SliceOfIota : OpRewritePattern<stablehlo::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto iota = op.getOperand().getDefiningOp<stablehlo::IotaOp>();
    auto type = cast<RankedTensorType>(op.getType());
    auto element = dyn_cast<IntegerType>(type.getElementType());
    if (!iota || !element || type.getNumElements() != 1)
      return failure();
    APInt index(element.getWidth(),
                op.getStartIndices()[iota.getIotaDimension()],
                /*isSigned=*/false, /*implicitTrunc=*/true);
    rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(
        op, DenseElementsAttr::get(type, index));
    return success();
  }
};

/// Updates that together cover the whole value ─▶ concatenate
struct CompleteUpdates : OpRewritePattern<stablehlo::DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::DynamicUpdateSliceOp last,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = shapeOf(last);
    std::optional<int64_t> dim = partialDimension(last, shape);
    if (!dim)
      return failure();

    // Ordered by position; a later update must not hide part of an earlier
    // one, so that each is used whole.
    std::map<int64_t, Value> parts;
    int64_t covered = 0;
    for (auto update = last; update && covered < shape[*dim];
         update = update.getOperand()
                      .getDefiningOp<stablehlo::DynamicUpdateSliceOp>()) {
      if (partialDimension(update, shape) != dim)
        return failure();
      int64_t start = (*constantStarts(update))[*dim];
      int64_t size = shapeOf(update.getUpdate())[*dim];
      auto next = parts.lower_bound(start);
      if (next != parts.end() && next->first < start + size)
        return failure();
      if (next != parts.begin()) {
        auto previous = std::prev(next);
        if (previous->first + shapeOf(previous->second)[*dim] > start)
          return failure();
      }
      parts.emplace(start, update.getUpdate());
      covered += size;
    }
    if (covered != shape[*dim])
      return failure();
    SmallVector<Value> inOrder =
        llvm::to_vector(llvm::make_second_range(parts));
    rewriter.replaceOpWithNewOp<stablehlo::ConcatenateOp>(
        last, last.getType(), inOrder, static_cast<uint64_t>(*dim));
    return success();
  }

private:
  /// The one dimension that `update`, at constant positions, does not fill.
  static std::optional<int64_t>
  partialDimension(stablehlo::DynamicUpdateSliceOp update,
                   ArrayRef<int64_t> shape) {
    if (!constantStarts(update))
      return std::nullopt;
    std::optional<int64_t> partial;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (shapeOf(update.getUpdate())[dim] == extent)
        continue;
      if (partial)
        return std::nullopt;
      partial = dim;
    }
    return partial;
  }
};

/// An update of the whole value ─▶ the update
struct WholeUpdate : OpRewritePattern<stablehlo::DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getUpdate().getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, op.getUpdate());
    return success();
  }
};

} // namespace

void populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns
      .add<CompleteUpdates, SliceOfIota, SliceOfPart, StaticSlice, WholeUpdate>(
          patterns.getContext());
}

} // namespace shardsmith
