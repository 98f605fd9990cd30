// SPDX-License-Identifier: Apache-2.0
// Sliding windows, and the ops that reduce over them.

#include "Window.h"
#include "Bodies.h"
#include "Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::stablehlo {

FailureOr<SmallVector<WindowDimension>>
readWindow(const Reporter &report, ArrayRef<int64_t> sizes,
           OptionalDims strides, std::optional<DenseIntElementsAttr> padding,
           OptionalDims baseDilations, OptionalDims windowDilations) {
  SmallVector<WindowDimension> window(sizes.size());
  auto read = [&](StringRef name, OptionalDims values,
                  int64_t WindowDimension::*field) -> LogicalResult {
    if (!values)
      return success();
    if (failed(checkCount(report, name, values->size(), sizes.size(),
                          "window dimension")))
      return failure();
    for (auto [dim, value] : llvm::enumerate(*values)) {
      if (value < 1)
        return report("needs ", name, " of at least 1, found ", value,
                      " in dimension ", dim);
      window[dim].*field = value;
    }
    return success();
  };
  if (failed(read("window size", sizes, &WindowDimension::size)) ||
      failed(read("window stride", strides, &WindowDimension::stride)) ||
      failed(read("base dilation", baseDilations,
                  &WindowDimension::baseDilation)) ||
      failed(read("window dilation", windowDilations,
                  &WindowDimension::windowDilation)))
    return failure();
  if (!padding)
    return window;
  auto rows = static_cast<int64_t>(sizes.size());
  if (padding->getType().getShape() != ArrayRef<int64_t>({rows, 2}))
    return report("needs padding of shape ", toText({rows, 2}), ", found ",
                  toText(padding->getType().getShape()));
  auto values = padding->getValues<int64_t>().begin();
  for (WindowDimension &dimension : window) {
    dimension.paddingLow = *values++;
    dimension.paddingHigh = *values++;
  }
  return window;
}

namespace {

/// Size of `size` elements with `dilation - 1` holes between them; true if it
/// does not fit 64 bits.
bool dilateOverflows(int64_t size, int64_t dilation, int64_t &dilated) {
  dilated = 0;
  return size > 0 && (llvm::MulOverflow(size - 1, dilation, dilated) ||
                      llvm::AddOverflow(dilated, int64_t(1), dilated));
}

} // namespace

FailureOr<Shape> countWindowPositions(const Reporter &report,
                                      ArrayRef<int64_t> base,
                                      ArrayRef<WindowDimension> window) {
  Shape positions;
  for (auto [dim, sizeAndWindow] : llvm::enumerate(llvm::zip(base, window))) {
    auto [size, along] = sizeAndWindow;
    if (ShapedType::isDynamic(size)) {
      positions.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t padded = 0, extent = 0;
    if (dilateOverflows(size, along.baseDilation, padded) ||
        llvm::AddOverflow(padded, along.paddingLow, padded) ||
        llvm::AddOverflow(padded, along.paddingHigh, padded) ||
        dilateOverflows(along.size, along.windowDilation, extent))
      return report("has a padded or window size beyond 64 bits in dimension ",
                    dim);
    if (padded < 0)
      return report("pads dimension ", dim, " to size ", padded, ", below 0");
    bool fits = padded > 0 && extent <= padded;
    positions.push_back(fits ? (padded - extent) / along.stride + 1 : 0);
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

namespace {

/// Inputs of one shape, each with a scalar of its element type to start from.
LogicalResult checkInputsAndInits(const Reporter &report, ValueRange inputs,
                                  ValueRange inits, TypeRange results) {
  if (inputs.empty())
    return report("needs at least one input");
  if (results.size() != inputs.size())
    return report("needs a result per input, found ", results.size(), " for ",
                  inputs.size());
  for (auto [input, init] : llvm::zip(inputs, inits)) {
    if (!agree(tensorType(input).getShape(),
               tensorType(inputs.front()).getShape()))
      return report("needs inputs of one shape, found ",
                    inputs.front().getType(), " and ", input.getType());
    if (rankOf(init) != 0 || elementType(init) != elementType(input))
      return report("needs a scalar init of ", elementType(input), ", found ",
                    init.getType());
  }
  return success();
}

} // namespace

LogicalResult ReduceWindowOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkInputsAndInits(report, getInputs(), getInitValues(),
                                 getResultTypes())))
    return failure();
  ArrayRef<int64_t> base = tensorType(getInputs().front()).getShape();
  if (failed(checkCount(report, "window_dimensions",
                        getWindowDimensions().size(), base.size(),
                        "input dimension")))
    return failure();
  auto window =
      readWindow(report, getWindowDimensions(), getWindowStrides(),
                 getPadding(), getBaseDilations(), getWindowDilations());
  if (failed(window))
    return failure();
  FailureOr<Shape> shape = countWindowPositions(report, base, *window);
  if (failed(shape))
    return failure();
  for (Type result : getResultTypes())
    if (failed(checkResultShape(report, result, *shape)))
      return failure();
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return checkCombiner(reporterOf(*this), getBody(), "the body",
                       getResultTypes());
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

LogicalResult SelectAndScatterOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType operand = getOperand().getType();
  RankedTensorType source = getSource().getType();
  if (source.getElementType() != operand.getElementType())
    return report("needs a source of element type ", operand.getElementType(),
                  ", found ", source.getElementType());
  if (rankOf(getInitValue()) != 0 ||
      elementType(getInitValue()) != operand.getElementType())
    return report("needs a scalar init of ", operand.getElementType(),
                  ", found ", getInitValue().getType());
  Shape ones(operand.getRank(), 1);
  ArrayRef<int64_t> sizes = getWindowDimensions().value_or(ones);
  if (failed(checkCount(report, "window_dimensions", sizes.size(),
                        operand.getRank(), "operand dimension")))
    return failure();
  auto window = readWindow(report, sizes, getWindowStrides(), getPadding(),
                           std::nullopt, std::nullopt);
  if (failed(window))
    return failure();
  FailureOr<Shape> positions =
      countWindowPositions(report, operand.getShape(), *window);
  if (failed(positions))
    return failure();
  if (!agree(*positions, source.getShape()))
    return report("needs a source element per window: expected shape ",
                  toText(*positions), ", found ", toText(source.getShape()));
  return checkResultShape(report, getType(), operand.getShape());
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  RankedTensorType scalar = scalarOf(getOperand().getType());
  Type predicate = scalar.clone(IntegerType::get(getContext(), 1));
  if (failed(checkArguments(report, getSelect(), "select", {scalar, scalar})) ||
      failed(checkReturn(report, getSelect(), "select", predicate)))
    return failure();
  return checkCombiner(report, getScatter(), "scatter", getType());
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

FailureOr<Shape> inferReduceShape(const Reporter &report,
                                  ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> dimensions) {
  if (failed(checkUnique(report, "dimensions", dimensions, shape.size())))
    return failure();
  Shape kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dim)))
      kept.push_back(size);
  return kept;
}

LogicalResult ReduceOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkInputsAndInits(report, getInputs(), getInitValues(),
                                 getResultTypes())))
    return failure();
  FailureOr<Shape> shape = inferReduceShape(
      report, tensorType(getInputs().front()).getShape(), getDimensions());
  if (failed(shape))
    return failure();
  for (Type result : getResultTypes())
    if (failed(checkResultShape(report, result, *shape)))
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return checkCombiner(reporterOf(*this), getBody(), "the body",
                       getResultTypes());
}

//===----------------------------------------------------------------------===//
// sort and map
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  Reporter report = reporterOf(*this);
  if (getInputs().empty())
    return report("needs at least one input");
  for (Value input : getInputs())
    if (!agree(tensorType(input).getShape(),
               tensorType(getInputs().front()).getShape()))
      return report("needs inputs of one shape, found ",
                    getInputs().front().getType(), " and ", input.getType());
  int64_t dim = getDimension(), rank = rankOf(getInputs().front());
  if (dim < -rank || dim >= rank)
    return report("sorts along dimension ", dim, ", outside [", -rank, ", ",
                  rank, ")");
  if (!areCompatibleTypes(getResultTypes(), TypeRange(getInputs())))
    return report("needs results of the inputs' types (",
                  TypeRange(getInputs()), "), found (", getResultTypes(), ")");
  return success();
}

LogicalResult SortOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  SmallVector<Type> arguments;
  for (Value input : getInputs())
    arguments.append(2, scalarOf(input.getType()));
  if (failed(checkArguments(report, getComparator(), "comparator", arguments)))
    return failure();
  Type predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return checkReturn(report, getComparator(), "comparator", predicate);
}

LogicalResult MapOp::verify() {
  Reporter report = reporterOf(*this);
  if (getInputs().empty())
    return report("needs at least one input");
  ArrayRef<int64_t> shape = tensorType(getInputs().front()).getShape();
  for (Value input : getInputs())
    if (!agree(tensorType(input).getShape(), shape))
      return report("needs inputs of one shape, found ",
                    getInputs().front().getType(), " and ", input.getType());
  if (!llvm::equal(getDimensions(),
                   llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size()))))
    return report("needs dimensions to list all ", shape.size(),
                  " dimensions in order, found ", toText(getDimensions()));
  return checkResultShape(report, getType(), shape);
}

LogicalResult MapOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  SmallVector<Type> arguments;
  for (Value input : getInputs())
    arguments.push_back(scalarOf(input.getType()));
  if (failed(checkArguments(report, getComputation(), "the computation",
                            arguments)))
    return failure();
  return checkReturn(report, getComputation(), "the computation",
                     scalarOf(getType()));
}

} // namespace shardsmith::stablehlo
