// SPDX-License-Identifier: Apache-2.0
//
// First every window finds the number of the position it selects; then every
// position p of the window adds the sources that selected it, as a pad whose
// interior is the stride:
//
//     selected[w] = the p whose element x[w·stride + p] is preferred
//     result      = Σ_p pad(select(selected == p, source, 0))
//
// With other bodies than a sum, positions that were not selected keep what
// they have.

#include "ExpandWindows.h"

#include "TensorBody.h"
#include "WindowSlices.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

using stablehlo::ComparisonDirection;

class SelectAndScatterExpansion {
public:
  SelectAndScatterExpansion(OpBuilder &builder,
                            stablehlo::SelectAndScatterOp op)
      : builder(builder), op(op), location(op.getLoc()), shape(shapeOf(op)),
        count(shapeOf(op.getSource())),
        windows(readWindows(shape.size(), op.getWindowDimensions(),
                            op.getWindowStrides(), op.getPadding())),
        element(getElementTypeOrSelf(op.getSource())) {}

  Value run() {
    selectPositions();
    return scatterSources();
  }

private:
  Value select(Value condition, Value onTrue, Value onFalse) {
    return stablehlo::SelectOp::create(builder, location, onTrue.getType(),
                                       condition, onTrue, onFalse);
  }

  Value number(int64_t value) {
    return splat(builder, location, count, builder.getI32Type(), value);
  }

  Value isSelected(int64_t position) {
    Value equal = stablehlo::CompareOp::create(
        builder, location, selected, number(position), ComparisonDirection::EQ);
    return equal;
  }

  /// Finds `selected`: −1 where a window has no element.
  void selectPositions() {
    Type boolean = builder.getI1Type();
    Value no = splat(builder, location, {}, boolean, 0);
    Value inside; // null: windows see no padding
    Value operand = op.getOperand();
    if (llvm::any_of(windows, [](const Window &w) { return w.isPadded(); })) {
      inside = padForWindows(builder, location,
                             splat(builder, location, shape, boolean, 1), no,
                             windows);
      Value nothing =
          splat(builder, location, {}, getElementTypeOrSelf(operand), 0);
      operand = padForWindows(builder, location, operand, nothing, windows);
    }
    SmallVector<int64_t> position(windows.size(), 0);
    int64_t number = 0;
    Value best, hasBest;
    do {
      Value candidate =
          sliceAt(builder, location, operand, windows, position, count);
      Value isHere =
          inside ? sliceAt(builder, location, inside, windows, position, count)
                 : Value();
      take(candidate, isHere, number++, best, hasBest);
    } while (advance(position, windows));
  }

  void take(Value candidate, Value isHere, int64_t position, Value &best,
            Value &hasBest) {
    if (!best) {
      best = candidate;
      hasBest = isHere;
      selected = number(position);
      if (isHere)
        selected = select(isHere, selected, number(-1));
      return;
    }
    Value keeps =
        applyToTensors(builder, location, op.getSelect(), {best, candidate})
            .front();
    if (isHere) {
      // Keep the best if it is preferred and there is one, or if there is no
      // candidate.
      keeps = stablehlo::AndOp::create(builder, location, keeps, hasBest);
      Value isAway = stablehlo::NotOp::create(builder, location, isHere);
      keeps = stablehlo::OrOp::create(builder, location, keeps, isAway);
      hasBest = stablehlo::OrOp::create(builder, location, hasBest, isHere);
    }
    best = select(keeps, best, candidate);
    selected = select(keeps, selected, number(position));
  }

  /// Spreads a tensor with one element per window over the operand's shape:
  /// window w is at its position in the window; elsewhere is `filling`.
  Value spread(Value perWindow, Value filling, ArrayRef<int64_t> position) {
    SmallVector<int64_t> low, high, interior;
    for (auto [d, window] : llvm::enumerate(windows)) {
      low.push_back(position[d] - window.low);
      interior.push_back(window.stride - 1);
      high.push_back(shape[d] - low.back() -
                     ((count[d] - 1) * window.stride + 1));
    }
    return stablehlo::PadOp::create(builder, location, perWindow, filling, low,
                                    high, interior);
  }

  Value scatterSources() {
    bool isSum =
        stablehlo::matchReduction(op.getScatter()) == ReductionKind::Sum;
    Value zero = splat(builder, location, {}, element, 0);
    Value no = splat(builder, location, {}, builder.getI1Type(), 0);
    Value zeros = splat(builder, location, count, element, 0);
    Value result;
    if (!isSum || !stablehlo::isZero(op.getInitValue()))
      result = repeat(builder, location, op.getInitValue(), shape);
    SmallVector<int64_t> position(windows.size(), 0);
    int64_t number = 0;
    do {
      Value here = isSelected(number++);
      Value sources =
          isSum ? select(here, op.getSource(), zeros) : Value(op.getSource());
      Value added = spread(sources, zero, position);
      if (!result) {
        result = added;
        continue;
      }
      Value combined =
          applyToTensors(builder, location, op.getScatter(), {result, added})
              .front();
      result = isSum ? combined
                     : select(spread(here, no, position), combined, result);
    } while (advance(position, windows));
    return result;
  }

  OpBuilder &builder;
  stablehlo::SelectAndScatterOp op;
  Location location;
  ArrayRef<int64_t> shape, count;
  SmallVector<Window> windows;
  Type element;
  Value selected;
};

} // namespace

Value expandSelectAndScatter(OpBuilder &builder,
                             stablehlo::SelectAndScatterOp op) {
  return SelectAndScatterExpansion(builder, op).run();
}

} // namespace shardsmith::lower
