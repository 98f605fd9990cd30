// SPDX-License-Identifier: Apache-2.0
//
// A window of w elements along a dimension, o the op that combines them:
//
//     few       x[i] o x[i+1] o … o x[i+w−1]            w − 1 ops per window
//     many      p1 = x, p2[i] = p1[i] o p1[i+1],
//               p4[i] = p2[i] o p2[i+2], …; a window
//               of 7 is p4[i] o p2[i+4] o p1[i+6]       log w ops per element
//
// Cumulative sums are the second kind: their windows are as long as the
// dimension. A window over several dimensions is either taken apart, one
// dimension after the other, or combined position by position in one go, which
// costs more ops but stores nothing in between.
//
// Windows see padding, which is the initial value, like any other element. The
// initial value is combined once more with each result, unless it is neutral.

#include "ExpandWindows.h"

#include "TensorBody.h"
#include "WindowSlices.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"

#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Tensors = SmallVector<Value>;

/// Positions of a window that are combined in one go at most: each is an op
/// and a slice of one kernel.
constexpr int64_t mostPositions = 16;

bool isNeutral(std::optional<ReductionKind> kind, Value init) {
  auto constant = init.getDefiningOp<stablehlo::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!kind || !elements || !elements.isSplat())
    return false;
  Type type = elements.getElementType();
  if (isa<FloatType>(type)) {
    auto value = elements.getSplatValue<APFloat>();
    switch (*kind) {
    case ReductionKind::Sum:
      return value.isZero();
    case ReductionKind::Product:
      return value.isExactlyValue(1.0);
    case ReductionKind::Max:
      return value.isInfinity() && value.isNegative();
    case ReductionKind::Min:
      return value.isInfinity() && !value.isNegative();
    case ReductionKind::And:
    case ReductionKind::Or:
      return false;
    }
  }
  if (!isa<IntegerType>(type))
    return false;
  auto value = elements.getSplatValue<APInt>();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  switch (*kind) {
  case ReductionKind::Sum:
  case ReductionKind::Or:
    return value.isZero();
  case ReductionKind::Product:
    return value.isOne();
  case ReductionKind::And:
    return value.isAllOnes();
  case ReductionKind::Max:
    return isUnsigned ? value.isZero() : value.isMinSignedValue();
  case ReductionKind::Min:
    return isUnsigned ? value.isAllOnes() : value.isMaxSignedValue();
  }
  return false;
}

class ReduceWindowExpansion {
public:
  ReduceWindowExpansion(OpBuilder &builder, stablehlo::ReduceWindowOp op)
      : builder(builder), op(op), location(op.getLoc()),
        count(cast<RankedTensorType>(op.getResult(0).getType()).getShape()),
        windows(readWindows(count.size(), op.getWindowDimensions(),
                            op.getWindowStrides(), op.getPadding(),
                            op.getBaseDilations(), op.getWindowDilations())) {}

  Tensors run() {
    Tensors tensors;
    for (auto [input, init] :
         llvm::zip_equal(op.getInputs(), op.getInitValues()))
      tensors.push_back(padForWindows(builder, location, input, init, windows));
    Tensors results =
        isOneGoCheaper(tensors.front()) ? inOneGo(tensors) : inSteps(tensors);
    std::optional<ReductionKind> kind;
    if (op.getInputs().size() == 1)
      kind = stablehlo::matchReduction(op.getBody());
    if (isNeutral(kind, op.getInitValues().front()))
      return results;
    Tensors starts;
    for (Value init : op.getInitValues())
      starts.push_back(repeat(builder, location, init, count));
    return combine(starts, results);
  }

private:
  Tensors combine(ArrayRef<Value> left, ArrayRef<Value> right) {
    Tensors arguments(left);
    llvm::append_range(arguments, right);
    return applyToTensors(builder, location, op.getBody(), arguments);
  }

  static int64_t sizeOf(Value tensor, size_t d) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(d);
  }

  bool isLong(const Window &window, int64_t size, int64_t results) const {
    if (window.size <= 4)
      return false;
    double levels = llvm::Log2_64(static_cast<uint64_t>(window.size));
    return 2 * levels * static_cast<double>(size) <
           static_cast<double>(window.size - 1) * static_cast<double>(results);
  }

  /// Dimensions with windows, the ones first that leave fewest elements.
  SmallVector<size_t> order() const {
    SmallVector<size_t> dimensions;
    for (auto [d, window] : llvm::enumerate(windows))
      if (!window.isTrivial())
        dimensions.push_back(d);
    llvm::sort(dimensions, [&](size_t a, size_t b) {
      return std::tuple(-windows[a].stride, a) <
             std::tuple(-windows[b].stride, b);
    });
    return dimensions;
  }

  /// Compares ops per element, where storing and loading again counts as two.
  bool isOneGoCheaper(Value tensor) const {
    double positions = 1, results = 1, elements = 1, inSteps = 0;
    for (auto [d, window] : llvm::enumerate(windows)) {
      positions *= static_cast<double>(window.size);
      results *= static_cast<double>(count[d]);
      elements *= static_cast<double>(sizeOf(tensor, d));
    }
    if (positions > mostPositions)
      return false;
    for (size_t d : order()) {
      elements *= static_cast<double>(count[d]) /
                  static_cast<double>(sizeOf(tensor, d));
      inSteps += elements * static_cast<double>(windows[d].size - 1 + 2);
    }
    return (positions - 1) * results + 2 * results <= inSteps;
  }

  Tensors inOneGo(ArrayRef<Value> tensors) {
    Tensors results;
    SmallVector<int64_t> position(windows.size(), 0);
    do {
      Tensors elements;
      for (Value tensor : tensors)
        elements.push_back(
            sliceAt(builder, location, tensor, windows, position, count));
      results = results.empty() ? elements : combine(results, elements);
    } while (advance(position, windows));
    return results;
  }

  Tensors inSteps(ArrayRef<Value> tensors) {
    Tensors current(tensors);
    for (size_t d : order()) {
      bool isLongWindow =
          isLong(windows[d], sizeOf(current.front(), d), count[d]);
      current = isLongWindow ? byDoubling(current, d) : byElements(current, d);
    }
    return current;
  }

  Tensors slices(ArrayRef<Value> tensors, size_t d, int64_t start, int64_t size,
                 int64_t stride) {
    Tensors results;
    for (Value tensor : tensors)
      results.push_back(
          sliceAlong(builder, location, tensor, d, start, size, stride));
    return results;
  }

  Tensors byElements(ArrayRef<Value> tensors, size_t d) {
    const Window &window = windows[d];
    Tensors results;
    for (int64_t position = 0; position < window.size; ++position) {
      Tensors elements = slices(tensors, d, position * window.dilation,
                                count[d], window.stride);
      results = results.empty() ? elements : combine(results, elements);
    }
    return results;
  }

  Tensors byDoubling(ArrayRef<Value> tensors, size_t d) {
    const Window &window = windows[d];
    Tensors spans(tensors), results;
    int64_t begin = 0; // of what the results do not cover yet
    for (int64_t span = 1; span <= window.size; span *= 2) {
      if (window.size & span) {
        Tensors elements =
            slices(spans, d, begin * window.dilation, count[d], window.stride);
        results = results.empty() ? elements : combine(results, elements);
        begin += span;
      }
      if (2 * span > window.size)
        break;
      int64_t distance = span * window.dilation;
      int64_t size = sizeOf(spans.front(), d) - distance;
      spans = combine(slices(spans, d, 0, size, 1),
                      slices(spans, d, distance, size, 1));
    }
    return results;
  }

  OpBuilder &builder;
  stablehlo::ReduceWindowOp op;
  Location location;
  ArrayRef<int64_t> count; ///< windows per dimension
  SmallVector<Window> windows;
};

} // namespace

SmallVector<Value> expandReduceWindow(OpBuilder &builder,
                                      stablehlo::ReduceWindowOp op) {
  return ReduceWindowExpansion(builder, op).run();
}

} // namespace shardsmith::lower
