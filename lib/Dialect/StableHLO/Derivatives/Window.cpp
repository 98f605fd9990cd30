// SPDX-License-Identifier: Apache-2.0
// Derivatives of reductions over sliding windows.

#include "Families.h"
#include "ReductionBody.h"
#include "WindowGeometry.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// The op's window, dimension by dimension.
SmallVector<WindowDimension> windowOf(ReduceWindowOp op) {
  auto inputType = cast<RankedTensorType>(op.getInputs().front().getType());
  auto outputType = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> padding =
      paddingNumbers(op.getPadding(), inputType.getRank());
  SmallVector<WindowDimension> window;
  for (int64_t d = 0; d < inputType.getRank(); ++d)
    window.push_back(
        {.input = inputType.getDimSize(d),
         .window = op.getWindowDimensions()[d],
         .output = outputType.getDimSize(d),
         .stride = numberOr(op.getWindowStrides(), d, 1),
         .low = padding[2 * d],
         .high = padding[2 * d + 1],
         .inputDilation = numberOr(op.getBaseDilations(), d, 1),
         .windowDilation = numberOr(op.getWindowDilations(), d, 1)});
  return window;
}

/// The windowed reduction of `operand` with `OpTy` over the windows of `op`.
template <typename OpTy>
TensorValue reduceWindows(ReduceWindowOp op, TensorValue operand,
                          double neutral) {
  ImplicitLocOpBuilder &builder = operand.builder();
  Value init = scalar(builder, operand.elementType(), neutral);
  auto reduced = ReduceWindowOp::create(
      builder, TypeRange{op->getResult(0).getType()},
      ValueRange{operand.value()}, ValueRange{init},
      op.getWindowDimensionsAttr(), op.getWindowStridesAttr(),
      op.getBaseDilationsAttr(), op.getWindowDilationsAttr(),
      op.getPaddingAttr());
  buildScalarBody<OpTy>(builder, reduced.getBody(), operand.elementType());
  return {builder, reduced->getResult(0)};
}

/// Each input element collects the numbers of the windows that saw it: a
/// windowed sum over these numbers spread out by the strides.
TensorValue collectFromWindows(ReduceWindowOp op, TensorValue perWindow) {
  ImplicitLocOpBuilder &builder = perWindow.builder();
  SmallVector<int64_t> low, high, interior, ones, stride, dilation;
  for (const WindowDimension &dimension : windowOf(op)) {
    auto [before, after] = dimension.inputGradientPadding();
    low.push_back(before);
    high.push_back(after);
    interior.push_back(dimension.stride - 1);
    ones.push_back(1);
    stride.push_back(dimension.inputDilation);
    dilation.push_back(dimension.windowDilation);
  }
  Value zero = scalar(builder, perWindow.elementType(), 0.0);
  Value spread =
      PadOp::create(builder, perWindow.value(), zero, low, high, interior);
  auto collected = ReduceWindowOp::create(
      builder, TypeRange{op.getInputs().front().getType()}, ValueRange{spread},
      ValueRange{zero}, op.getWindowDimensionsAttr(),
      builder.getDenseI64ArrayAttr(stride), builder.getDenseI64ArrayAttr(ones),
      builder.getDenseI64ArrayAttr(dilation), DenseIntElementsAttr());
  buildScalarBody<AddOp>(builder, collected.getBody(), perWindow.elementType());
  return {builder, collected->getResult(0)};
}

LogicalResult deriveWindowSum(ReduceWindowOp op, TensorValue g,
                              Cotangents &cotangents) {
  cotangents[0] = collectFromWindows(op, g);
  cotangents[1] = sumAll(g);
  return success();
}

/// As for a product over whole dimensions (Reduce.cpp), window by window: with
/// p the product of the elements of a window that are not zero, an element x
/// collects g p / x from windows without zeros, and g p, if it is itself zero,
/// from those without another one.
LogicalResult deriveWindowProduct(ReduceWindowOp op, TensorValue g,
                                  Cotangents &cotangents) {
  TensorValue x(g.builder(), op.getInputs().front());
  TensorValue isZero = compare(x, Direction::EQ, 0.0);
  TensorValue nonZero = select(isZero, x.filled(1.0), x);
  TensorValue one = x.filled(1.0);
  TensorValue zeros =
      reduceWindows<AddOp>(op, select(isZero, one, x.filled(0.0)), 0.0);
  TensorValue init(g.builder(), op.getInitValues().front());
  TensorValue started = g * broadcastScalar(init, g.shape());
  TensorValue product = started * reduceWindows<MulOp>(op, nonZero, 1.0);

  auto collectWhere = [&](double count) {
    TensorValue hasCount = compare(zeros, Direction::EQ, count);
    return collectFromWindows(op, select(hasCount, product, g.filled(0.0)));
  };
  TensorValue ofZero = collectWhere(1.0);
  cotangents[0] = select(isZero, ofZero, collectWhere(0.0) / nonZero);
  return success();
}

/// Fills the region that says whether the first of two scalars is selected.
void buildComparison(ImplicitLocOpBuilder &builder, Region &region,
                     Type elementType, Direction direction) {
  OpBuilder::InsertionGuard guard(builder);
  auto type = RankedTensorType::get({}, elementType);
  Block *body = builder.createBlock(&region, region.end(), {type, type},
                                    {builder.getLoc(), builder.getLoc()});
  Value isSelected = CompareOp::create(builder, body->getArgument(0),
                                       body->getArgument(1), direction);
  ReturnOp::create(builder, isSelected);
}

/// The first extremum of each window gets its cotangent. Padding becomes part
/// of the operand, so that windows never select outside of it, and is cropped
/// from the result.
LogicalResult deriveWindowExtremum(ReduceWindowOp op, bool isMaximum,
                                   TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  SmallVector<int64_t> low, high, cropLow, cropHigh, none;
  bool isPadded = false;
  for (const WindowDimension &dimension : windowOf(op)) {
    if (dimension.inputDilation != 1 || dimension.windowDilation != 1)
      return op->emitError(
          "unsupported: no derivative for a maximum or minimum over "
          "dilated windows");
    low.push_back(dimension.low);
    high.push_back(dimension.high);
    cropLow.push_back(-dimension.low);
    cropHigh.push_back(-dimension.high);
    none.push_back(0);
    isPadded |= dimension.low != 0 || dimension.high != 0;
  }
  Value operand = op.getInputs().front();
  if (isPadded)
    operand = PadOp::create(builder, operand, op.getInitValues().front(), low,
                            high, none);
  Value zero = scalar(builder, g.elementType(), 0.0);
  auto scatter = SelectAndScatterOp::create(
      builder, operand.getType(), operand, g.value(), zero,
      op.getWindowDimensionsAttr(), op.getWindowStridesAttr(),
      DenseIntElementsAttr());
  buildComparison(builder, scatter.getSelect(), g.elementType(),
                  isMaximum ? Direction::GE : Direction::LE);
  buildScalarBody<AddOp>(builder, scatter.getScatter(), g.elementType());
  cotangents[0] = scatter.getResult();
  if (isPadded)
    cotangents[0] =
        PadOp::create(builder, cotangents[0], zero, cropLow, cropHigh, none);
  return success();
}

LogicalResult deriveReduceWindow(ReduceWindowOp op, TensorValue g,
                                 Cotangents &cotangents) {
  BodyKind kind = classifyBody(op.getBody());
  if (kind == BodyKind::sum)
    return deriveWindowSum(op, g, cotangents);
  if (!isConstantStart(op.getInitValues().front()))
    return op->emitError(
        "unsupported: no derivative for a windowed reduction other than a "
        "sum that starts from a computed value: expected a "
        "constant");
  switch (kind) {
  case BodyKind::product:
    return deriveWindowProduct(op, g, cotangents);
  case BodyKind::maximum:
    return deriveWindowExtremum(op, /*isMaximum=*/true, g, cotangents);
  case BodyKind::minimum:
    return deriveWindowExtremum(op, /*isMaximum=*/false, g, cotangents);
  default:
    return op->emitError(
        "unsupported: no derivative for a windowed reduction with this "
        "body: expected one add, maximum, minimum or "
        "multiply of the two block arguments");
  }
}

} // namespace

void attachWindowDerivatives(MLIRContext *context) {
  attachDerivative<ReduceWindowOp>(
      context, [](ReduceWindowOp op, TensorValue g, Cotangents &cotangents) {
        return deriveReduceWindow(op, g, cotangents);
      });
}

} // namespace shardsmith
