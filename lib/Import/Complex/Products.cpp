// SPDX-License-Identifier: Apache-2.0
//
// A product over a dimension multiplies its first half with its second half,
// and so on; a running product multiplies each element with that 1, 2, 4, …
// places before it, ones before the first:
//
//     a b c d e  ─▶  ac bd e  ─▶  acbd e  ─▶  acbde
//
//     a b c d    ─▶  a ab bc cd  ─▶  a ab abc abcd

#include "Products.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"

#include <complex>

using namespace mlir;

namespace shardsmith::complexes {
namespace {

bool multiplies(Region &body) {
  return isa_and_nonnull<stablehlo::MulOp>(stablehlo::matchCombiner(body));
}

bool isOfOneComplex(ValueRange inputs) {
  return inputs.size() == 1 &&
         isa<ComplexType>(getElementTypeOrSelf(inputs.front()));
}

/// `make` of both parts.
ComplexValue
ofParts(const ComplexValue &operand,
        llvm::function_ref<TensorValue(TensorValue, double)> make) {
  ComplexValue result{make(operand.real, 1), std::nullopt};
  if (operand.imaginary)
    result.imaginary = make(*operand.imaginary, 0);
  return result;
}

/// Elements from `begin` up to `end` of a dimension.
ComplexValue range(const ComplexValue &operand, int64_t dimension,
                   int64_t begin, int64_t end) {
  ImplicitLocOpBuilder &builder = operand.builder();
  ArrayRef<int64_t> shape = operand.real.shape();
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape),
      strides(shape.size(), 1);
  starts[dimension] = begin;
  limits[dimension] = end;
  return ofParts(operand, [&](TensorValue part, double) -> TensorValue {
    return {builder, stablehlo::SliceOp::create(builder, part.value(), starts,
                                                limits, strides)};
  });
}

ComplexValue joined(const ComplexValue &first, const ComplexValue &second,
                    int64_t dimension) {
  ImplicitLocOpBuilder &builder = first.builder();
  auto join = [&](TensorValue a, TensorValue b) -> TensorValue {
    SmallVector<int64_t> shape(a.shape());
    shape[dimension] += b.shape()[dimension];
    return {builder, stablehlo::ConcatenateOp::create(
                         builder, a.type().clone(shape),
                         ValueRange{a.value(), b.value()}, dimension)};
  };
  ComplexValue result{join(first.real, second.real), std::nullopt};
  if (first.imaginary || second.imaginary) {
    TensorValue before = first.imaginaryOrZero();
    result.imaginary = join(before, second.imaginaryOrZero());
  }
  return result;
}

/// The product along a dimension, whose size is one afterwards.
ComplexValue productAlong(ComplexValue operand, int64_t dimension) {
  int64_t size = operand.real.shape()[dimension];
  while (size > 1) {
    int64_t half = size / 2;
    ComplexValue first = range(operand, dimension, 0, half);
    ComplexValue product = first * range(operand, dimension, half, 2 * half);
    operand = size == 2 * half
                  ? product
                  : joined(product, range(operand, dimension, size - 1, size),
                           dimension);
    size = operand.real.shape()[dimension];
  }
  return operand;
}

/// The dimension along which windows reach from one end to each element, the
/// last one if reversed. The size is one where all windows are of one element.
struct Run {
  int64_t dimension = 0;
  int64_t size = 1;
  bool isReversed = false;
};

std::optional<Run> findRun(stablehlo::ReduceWindowOp op) {
  auto areOnes = [](std::optional<ArrayRef<int64_t>> numbers) {
    return !numbers ||
           llvm::all_of(*numbers, [](int64_t number) { return number == 1; });
  };
  if (!areOnes(op.getWindowStrides()) || !areOnes(op.getBaseDilations()) ||
      !areOnes(op.getWindowDilations()))
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  SmallVector<int64_t> padding(2 * shape.size(), 0);
  if (op.getPadding())
    padding = llvm::to_vector(op.getPadding()->getValues<int64_t>());
  Run run;
  for (auto [dimension, window] : llvm::enumerate(op.getWindowDimensions())) {
    int64_t low = padding[2 * dimension], high = padding[2 * dimension + 1];
    if (window == 1 && low == 0 && high == 0)
      continue;
    if (run.size != 1 || window != shape[dimension] ||
        low + high != window - 1 || (low != 0 && high != 0))
      return std::nullopt;
    run = {int64_t(dimension), window, low == 0};
  }
  return run;
}

/// True for the constant one.
bool isOne(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  auto number = elements.getSplatValue<std::complex<APFloat>>();
  return number.real().isExactlyValue(1) && number.imag().isZero();
}

} // namespace

bool isProduct(stablehlo::ReduceOp op) {
  return isOfOneComplex(op.getInputs()) && multiplies(op.getBody()) &&
         !llvm::is_contained(shapeOf(op.getInputs().front()), 0);
}

ComplexValue productOver(stablehlo::ReduceOp op, const ComplexValue &operand,
                         const ComplexValue &init) {
  ComplexValue product = operand;
  for (int64_t dimension : op.getDimensions())
    product = productAlong(product, dimension);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  product = ofParts(
      product, [&](TensorValue part, double) { return reshape(part, shape); });
  if (isOne(op.getInitValues().front()))
    return product;
  ComplexValue first = ofParts(init, [&](TensorValue part, double) {
    return broadcastScalar(part, shape);
  });
  return first * product;
}

bool isRunningProduct(stablehlo::ReduceWindowOp op) {
  return isOfOneComplex(op.getInputs()) && multiplies(op.getBody()) &&
         isOne(op.getInitValues().front()) && findRun(op);
}

ComplexValue runningProduct(stablehlo::ReduceWindowOp op,
                            const ComplexValue &operand) {
  auto [dimension, size, isReversed] = *findRun(op);
  ImplicitLocOpBuilder &builder = operand.builder();
  ArrayRef<int64_t> shape = operand.real.shape();
  ComplexValue running = operand;
  for (int64_t places = 1; places < size; places *= 2) {
    SmallVector<int64_t> low(shape.size(), 0), high(low), interior(low);
    low[dimension] = isReversed ? -places : places;
    high[dimension] = -low[dimension];
    ComplexValue shifted =
        ofParts(running, [&](TensorValue part, double filling) -> TensorValue {
          TensorValue outside = scalar(builder, part.elementType(), filling);
          return {builder, stablehlo::PadOp::create(builder, part.value(),
                                                    outside.value(), low, high,
                                                    interior)};
        });
    running = isReversed ? running * shifted : shifted * running;
  }
  return running;
}

} // namespace shardsmith::complexes
