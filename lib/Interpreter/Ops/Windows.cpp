// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows. The operand is padded first; a window position is then a
// strided slice with one element for every window, and a reduction over the
// window is a fold over these slices.

#include "../Kernels/Elementwise.h"
#include "../Kernels/Movement.h"
#include "Register.h"
#include "ScalarBody.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

struct Windows {
  Shape sizes, strides, dilations;
  Shape paddingLow, paddingHigh, interior;
};

Shape orElse(std::optional<ArrayRef<int64_t>> values, size_t count,
             int64_t otherwise) {
  return values ? Shape(*values) : Shape(count, otherwise);
}

void readPadding(std::optional<mlir::DenseIntElementsAttr> attribute,
                 size_t rank, Windows &windows) {
  windows.paddingLow.assign(rank, 0);
  windows.paddingHigh.assign(rank, 0);
  if (!attribute)
    return;
  const Tensor padding = tensorFrom(*attribute);
  for (size_t dim = 0; dim < rank; ++dim) {
    windows.paddingLow[dim] = padding.asInteger(2 * dim);
    windows.paddingHigh[dim] = padding.asInteger(2 * dim + 1);
  }
}

Tensor padded(const Tensor &a, const Tensor &padding, const Windows &windows) {
  Shape shape;
  for (int64_t dim = 0; dim < a.rank(); ++dim) {
    const int64_t size = a.dim(dim);
    shape.push_back(windows.paddingLow[dim] + windows.paddingHigh[dim] + size +
                    std::max<int64_t>(size - 1, 0) * windows.interior[dim]);
  }
  return pad(a, padding, windows.paddingLow, windows.interior, shape);
}

/// The elements at one position of every window.
Tensor atWindowPosition(const Tensor &a, const Windows &windows,
                        ArrayRef<int64_t> position,
                        ArrayRef<int64_t> resultShape) {
  Shape starts, limits;
  for (size_t dim = 0; dim < position.size(); ++dim) {
    starts.push_back(position[dim] * windows.dilations[dim]);
    const int64_t last =
        starts[dim] + (resultShape[dim] - 1) * windows.strides[dim];
    limits.push_back(resultShape[dim] == 0 ? starts[dim] : last + 1);
  }
  return slice(a, starts, limits, windows.strides);
}

/// Folds with a kind the kernels know. Sums of floats are made in double
/// precision, as in `reduce`.
Tensor foldWindows(BinaryKind kind, const Tensor &input, const Tensor &init,
                   const Windows &windows, ArrayRef<int64_t> resultShape) {
  const bool accumulates =
      kind == BinaryKind::Add || kind == BinaryKind::Multiply;
  const ElementType type =
      isFloat(input.type()) && accumulates ? ElementType::F64 : input.type();
  const Tensor start = convert(init, type);
  const Tensor source = padded(convert(input, type), start, windows);
  Tensor sums = Tensor::splat(type, resultShape, start.bytes());
  Shape position(windows.sizes.size(), 0);
  do
    sums = applyBinary(
        kind, sums, atWindowPosition(source, windows, position, resultShape));
  while (advance(position, windows.sizes));
  return convert(sums, input.type());
}

/// The same through a body of any form, for several tensors together.
LogicalResult foldWindowsCalling(mlir::Region &body, Arguments inputs,
                                 Arguments inits, const Windows &windows,
                                 ArrayRef<int64_t> resultShape,
                                 const Device &device, Tensors &results) {
  Tensors sources;
  for (auto [input, init] : zip_equal(inputs, inits)) {
    sources.push_back(padded(input, init, windows));
    results.push_back(
        Tensor::splat(init.type(), resultShape, init.bytes()).denseCopy());
  }
  Shape position(windows.sizes.size(), 0);
  do {
    Tensors elements;
    for (const Tensor &source : sources)
      elements.push_back(
          atWindowPosition(source, windows, position, resultShape));
    for (int64_t i = 0; i < elementCount(resultShape); ++i) {
      Tensors arguments, sums;
      for (const Tensor &result : results)
        arguments.push_back(result.element(i));
      for (const Tensor &element : elements)
        arguments.push_back(element.element(i));
      if (failed(device.call(body, std::move(arguments), sums)))
        return failure();
      for (auto [result, sum] : zip_equal(results, sums))
        result.setElement(i, sum);
    }
  } while (advance(position, windows.sizes));
  return success();
}

LogicalResult evaluateReduceWindow(stablehlo::ReduceWindowOp op,
                                   Arguments operands, const Device &device,
                                   Tensors &results) {
  const size_t count = op.getInputs().size();
  const Arguments inputs = operands.take_front(count);
  const Arguments inits = operands.take_back(count);
  const size_t rank = inputs.front().rank();
  Windows windows;
  windows.sizes = Shape(op.getWindowDimensions());
  windows.strides = orElse(op.getWindowStrides(), rank, 1);
  windows.dilations = orElse(op.getWindowDilations(), rank, 1);
  windows.interior = orElse(op.getBaseDilations(), rank, 1);
  for (int64_t &interior : windows.interior)
    --interior;
  readPadding(op.getPadding(), rank, windows);

  const Shape resultShape = staticTypeOf(op.getResult(0).getType())->shape;
  if (count == 1)
    if (std::optional<BinaryKind> kind = foldOf(op.getBody())) {
      results.push_back(
          foldWindows(*kind, inputs[0], inits[0], windows, resultShape));
      return success();
    }
  return foldWindowsCalling(op.getBody(), inputs, inits, windows, resultShape,
                            device, results);
}

/// In each window the element that `select` prefers to all others receives the
/// window's source element. Positions on padding take no part.
LogicalResult evaluateSelectAndScatter(stablehlo::SelectAndScatterOp op,
                                       Arguments operands, const Device &device,
                                       Tensors &results) {
  const Tensor &operand = operands[0], &source = operands[1];
  const size_t rank = operand.rank();
  Windows windows;
  windows.sizes = orElse(op.getWindowDimensions(), rank, 1);
  windows.strides = orElse(op.getWindowStrides(), rank, 1);
  readPadding(op.getPadding(), rank, windows);

  const Shape operandStrides = rowMajorStrides(operand.shape());
  Tensor result =
      Tensor::splat(operand.type(), operand.shape(), operands[2].bytes())
          .denseCopy();
  Shape window(rank, 0);
  int64_t sourcePosition = 0;
  if (source.size() != 0)
    do {
      int64_t selected = -1;
      Shape tap(rank, 0);
      do {
        int64_t candidate = 0;
        bool isInside = true;
        for (size_t dim = 0; dim < rank; ++dim) {
          const int64_t at = window[dim] * windows.strides[dim] + tap[dim] -
                             windows.paddingLow[dim];
          isInside &= at >= 0 && at < operand.dim(dim);
          candidate += at * operandStrides[dim];
        }
        if (!isInside)
          continue;
        if (selected < 0) {
          selected = candidate;
          continue;
        }
        Tensors keeps;
        if (failed(device.call(
                op.getSelect(),
                {operand.element(selected), operand.element(candidate)},
                keeps)))
          return failure();
        if (keeps.front().asInteger(0) == 0)
          selected = candidate;
      } while (advance(tap, windows.sizes));
      if (selected >= 0) {
        Tensors combined;
        if (failed(device.call(
                op.getScatter(),
                {result.element(selected), source.element(sourcePosition)},
                combined)))
          return failure();
        result.setElement(selected, combined.front());
      }
      ++sourcePosition;
    } while (advance(window, source.shape()));
  results.push_back(result);
  return success();
}

} // namespace

void registerWindows(EvaluatorRegistry &registry) {
  registry.add(evaluateReduceWindow, Rounding::Sum);
  registry.add(evaluateSelectAndScatter, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
