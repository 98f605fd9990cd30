// SPDX-License-Identifier: Apache-2.0

#include "Builder.h"

#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/Sequence.h"

#include <fmt/ranges.h>

using namespace mlir;

namespace shardsmith::onnx {

std::string text(SizesRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Builder::Builder(Location location, MLIRContext *context)
    : builder(location, context) {}

void Builder::verify(Operation *op) {
  std::string message;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &problem) {
    if (message.empty())
      message = problem.str();
    return success();
  });
  if (failed(mlir::verify(op, /*verifyRecursively=*/false)))
    badInput("{}", message);
}

RankedTensorType Builder::tensorType(SizesRef shape, Type element) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      badInput("a shape of {} has a negative size", text(shape));
    std::optional<int64_t> product =
        checkedMultiply(count, std::max<int64_t>(size, 1));
    if (!product || *product > mostElements)
      badInput("a tensor of shape {} has more than {} (2^56) elements",
               text(shape), mostElements);
    count = *product;
  }
  return RankedTensorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Builder::constant(const Tensor &tensor) {
  return stablehlo::ConstantOp::create(
      builder, toAttribute(tensor, builder.getContext()));
}

Value Builder::scalar(Type element, double number) {
  return shardsmith::scalar(builder, element, number);
}

Value Builder::filled(SizesRef shape, Type element, double number) {
  return shardsmith::filled(builder, tensorType(shape, element), number);
}

static Value extreme(ImplicitLocOpBuilder &builder, Type element,
                     bool isLeast) {
  auto type = RankedTensorType::get({}, element);
  DenseElementsAttr value;
  if (auto floats = dyn_cast<FloatType>(element)) {
    value = DenseElementsAttr::get(
        type, APFloat::getInf(floats.getFloatSemantics(), isLeast));
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    bool isSigned = !element.isUnsignedInteger();
    APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
    APInt most =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    value = DenseElementsAttr::get(type, isLeast ? least : most);
  }
  return stablehlo::ConstantOp::create(builder, value);
}

Value Builder::least(Type element) { return extreme(builder, element, true); }

Value Builder::greatest(Type element) {
  return extreme(builder, element, false);
}

Value Builder::integers(SizesRef numbers) {
  return constant(Tensor::of<int64_t>(
      ElementType::I64, {static_cast<int64_t>(numbers.size())}, numbers));
}

Value Builder::iota(SizesRef shape, Type element, int64_t dimension) {
  return make<stablehlo::IotaOp>(tensorType(shape, element), dimension);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Value Builder::compare(Value lhs, stablehlo::ComparisonDirection direction,
                       Value rhs) {
  broadcastTogether(lhs, rhs);
  return make<stablehlo::CompareOp>(
      RankedTensorType::get(shapeOf(lhs), boolean()), lhs, rhs, direction,
      stablehlo::ComparisonTypeAttr());
}

Value Builder::select(Value predicate, Value onTrue, Value onFalse) {
  Sizes shape = broadcastShape({predicate, onTrue, onFalse});
  Value yes = broadcast(onTrue, shape);
  return make<stablehlo::SelectOp>(yes.getType(), broadcast(predicate, shape),
                                   yes, broadcast(onFalse, shape));
}

Value Builder::convert(Value operand, Type element) {
  if (elementOf(operand) == element)
    return operand;
  if (element.isInteger(1))
    return compare(operand, stablehlo::ComparisonDirection::NE, 0.0);
  return make<stablehlo::ConvertOp>(
      RankedTensorType::get(shapeOf(operand), element), operand);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value Builder::reshape(Value operand, SizesRef shape) {
  RankedTensorType type = tensorType(shape, elementOf(operand));
  if (type.getNumElements() != countOf(operand))
    badInput("a tensor of shape {} has {} elements, a shape of {} has {}",
             text(shapeOf(operand)), countOf(operand), text(shape),
             type.getNumElements());
  return type == operand.getType() ? operand
                                   : make<stablehlo::ReshapeOp>(type, operand);
}

Value Builder::transpose(Value operand, SizesRef permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, rankOf(operand))))
    return operand;
  Sizes shape;
  for (int64_t from : permutation) {
    if (from < 0 || from >= rankOf(operand))
      badInput("{} is no permutation of the dimensions of {}",
               text(permutation), text(shapeOf(operand)));
    shape.push_back(shapeOf(operand)[from]);
  }
  return make<stablehlo::TransposeOp>(tensorType(shape, elementOf(operand)),
                                      operand, permutation);
}

Value Builder::broadcastInDim(Value operand, SizesRef shape,
                              SizesRef dimensions) {
  return make<stablehlo::BroadcastInDimOp>(
      tensorType(shape, elementOf(operand)), operand, dimensions);
}

Value Builder::broadcast(Value operand, SizesRef shape) {
  SizesRef from = shapeOf(operand);
  if (from == shape)
    return operand;
  bool fits = from.size() <= shape.size();
  Sizes kept, dimensions;
  for (size_t i = 0; fits && i < from.size(); ++i) {
    size_t to = shape.size() - from.size() + i;
    if (from[i] == shape[to]) {
      kept.push_back(from[i]);
      dimensions.push_back(static_cast<int64_t>(to));
    } else {
      fits = from[i] == 1;
    }
  }
  if (!fits)
    badInput("a tensor of shape {} cannot be broadcast to {}", text(from),
             text(shape));
  return broadcastInDim(reshape(operand, kept), shape, dimensions);
}

Sizes Builder::broadcastShape(ArrayRef<Value> operands) {
  Sizes shape;
  for (Value operand : operands) {
    SizesRef other = shapeOf(operand);
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &size = shape[shape.size() - other.size() + i];
      if (size != other[i] && size != 1 && other[i] != 1)
        badInput("tensors of shapes {} and {} do not fit each other",
                 text(shapeOf(operands.front())), text(other));
      if (size == 1)
        size = other[i];
    }
  }
  return shape;
}

void Builder::broadcastTogether(Value &lhs, Value &rhs) {
  if (lhs.getType() == rhs.getType())
    return;
  if (elementOf(lhs) != elementOf(rhs)) {
    std::string types;
    llvm::raw_string_ostream(types)
        << elementOf(lhs) << " and " << elementOf(rhs);
    badInput("operands have elements of different types, {}", types);
  }
  Sizes shape = broadcastShape({lhs, rhs});
  lhs = broadcast(lhs, shape);
  rhs = broadcast(rhs, shape);
}

Value Builder::slice(Value operand, SizesRef starts, SizesRef limits,
                     SizesRef strides) {
  Sizes shape;
  for (auto [start, limit, stride] : llvm::zip_equal(starts, limits, strides))
    shape.push_back(limit <= start ? 0 : (limit - start - 1) / stride + 1);
  if (llvm::equal(shape, shapeOf(operand)))
    return operand;
  return make<stablehlo::SliceOp>(tensorType(shape, elementOf(operand)),
                                  operand, starts, limits, strides);
}

Value Builder::slice(Value operand, int64_t dimension, int64_t start,
                     int64_t limit) {
  Sizes starts(rankOf(operand), 0), strides(rankOf(operand), 1);
  Sizes limits(shapeOf(operand));
  starts[dimension] = start;
  limits[dimension] = limit;
  return slice(operand, starts, limits, strides);
}

Value Builder::concatenate(ArrayRef<Value> operands, int64_t dimension) {
  if (operands.empty())
    badInput("there is nothing to concatenate");
  Sizes shape(shapeOf(operands.front()));
  int64_t total = 0;
  for (Value operand : operands) {
    if (rankOf(operand) != rankOf(operands.front()))
      badInput("tensors of shapes {} and {} cannot be concatenated",
               text(shapeOf(operands.front())), text(shapeOf(operand)));
    total += shapeOf(operand)[dimension];
  }
  if (operands.size() == 1)
    return operands.front();
  shape[dimension] = total;
  return make<stablehlo::ConcatenateOp>(
      tensorType(shape, elementOf(operands.front())), operands, dimension);
}

Value Builder::pad(Value operand, Value padding, SizesRef low, SizesRef high) {
  Sizes shape, interior(rankOf(operand), 0);
  for (auto [size, before, after] :
       llvm::zip_equal(shapeOf(operand), low, high)) {
    int64_t padded = 0;
    if (__builtin_add_overflow(size, before, &padded) ||
        __builtin_add_overflow(padded, after, &padded) || padded < 0)
      badInput("padding of {} before and {} after does not fit a dimension of "
               "size {}",
               before, after, size);
    shape.push_back(padded);
  }
  if (llvm::all_of(low, [](int64_t n) { return n == 0; }) &&
      llvm::all_of(high, [](int64_t n) { return n == 0; }))
    return operand;
  return make<stablehlo::PadOp>(tensorType(shape, elementOf(operand)), operand,
                                padding, low, high, interior);
}

Value Builder::reverse(Value operand, SizesRef dimensions) {
  return make<stablehlo::ReverseOp>(operand.getType(), operand, dimensions);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

RankedTensorType Builder::reducedType(Value operand, SizesRef dimensions) {
  Sizes shape;
  for (int64_t i = 0; i < rankOf(operand); ++i)
    if (!llvm::is_contained(dimensions, i))
      shape.push_back(shapeOf(operand)[i]);
  return RankedTensorType::get(shape, elementOf(operand));
}

Value Builder::restore(Value reduced, Value operand, SizesRef dimensions) {
  Sizes shape(shapeOf(operand));
  for (int64_t dimension : dimensions)
    shape[dimension] = 1;
  return reshape(reduced, shape);
}

Value Builder::sum(Value operand, SizesRef dimensions, bool keepDimensions) {
  Type element = elementOf(operand);
  bool isNarrow = isFloat(operand) && element.getIntOrFloatBitWidth() < 32;
  Value wide = isNarrow ? convert(operand, f32()) : operand;
  Value total = reduce<stablehlo::AddOp>(wide, dimensions, 0.0, keepDimensions);
  return convert(total, element);
}

Value Builder::mean(Value operand, SizesRef dimensions, bool keepDimensions) {
  double count = 1;
  for (int64_t dimension : dimensions)
    count *= static_cast<double>(shapeOf(operand)[dimension]);
  return divide(sum(operand, dimensions, keepDimensions), count);
}

Value Builder::largest(Value operand, SizesRef dimensions,
                       bool keepDimensions) {
  return reduce<stablehlo::MaxOp>(operand, dimensions,
                                  least(elementOf(operand)), keepDimensions);
}

Value Builder::softmax(Value operand, SizesRef dimensions) {
  Value powers = exp(subtract(operand, largest(operand, dimensions, true)));
  return divide(powers, sum(powers, dimensions, true));
}

Value Builder::logSoftmax(Value operand, SizesRef dimensions) {
  Value shifted = subtract(operand, largest(operand, dimensions, true));
  return subtract(shifted, log(sum(exp(shifted), dimensions, true)));
}

Value Builder::contract(Value lhs, Value rhs, SizesRef lhsBatch,
                        SizesRef rhsBatch, SizesRef lhsContracted,
                        SizesRef rhsContracted) {
  Sizes shape;
  for (int64_t dimension : lhsBatch)
    shape.push_back(shapeOf(lhs)[dimension]);
  auto appendFree = [&](Value side, SizesRef batch, SizesRef contracted) {
    for (int64_t i = 0; i < rankOf(side); ++i)
      if (!llvm::is_contained(batch, i) && !llvm::is_contained(contracted, i))
        shape.push_back(shapeOf(side)[i]);
  };
  appendFree(lhs, lhsBatch, lhsContracted);
  appendFree(rhs, rhsBatch, rhsContracted);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      builder.getContext(), lhsBatch, rhsBatch, lhsContracted, rhsContracted);
  return make<stablehlo::DotGeneralOp>(tensorType(shape, elementOf(lhs)), lhs,
                                       rhs, numbers, ArrayAttr(),
                                       stablehlo::DotAlgorithmAttr());
}

} // namespace shardsmith::onnx
