// SPDX-License-Identifier: Apache-2.0
//
// Reductions over axes that are given as attribute or, since versions 13 and
// 18, as operand.

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

using Reduce = Value (*)(Builder &, Value, SizesRef, bool);

/// ReduceSum takes its axes as operand five versions before the others do.
template <Reduce function, int64_t operandSince = 18> void reduce(Node &node) {
  Value x = node.input(0);
  std::optional<Sizes> axes = node.givenAxes(1, operandSince, rankOf(x));
  if (!axes || axes->empty()) {
    if (node.flag("noop_with_empty_axes", false)) {
      node.result(function(node.build, x, {}, true));
      return;
    }
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  }
  node.result(function(node.build, x, *axes, node.flag("keepdims", true)));
}

Value sum(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.sum(x, axes, keep);
}

Value mean(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.mean(x, axes, keep);
}

Value largest(Builder &build, Value x, SizesRef axes, bool keep) {
  if (isBoolean(x))
    return build.reduce<stablehlo::OrOp>(x, axes, 0.0, keep);
  return build.reduce<stablehlo::MaxOp>(x, axes, build.least(elementOf(x)),
                                        keep);
}

Value smallest(Builder &build, Value x, SizesRef axes, bool keep) {
  if (isBoolean(x))
    return build.reduce<stablehlo::AndOp>(x, axes, 1.0, keep);
  return build.reduce<stablehlo::MinOp>(x, axes, build.greatest(elementOf(x)),
                                        keep);
}

Value product(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.reduce<stablehlo::MulOp>(x, axes, 1.0, keep);
}

Value norm1(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.sum(build.unary<stablehlo::AbsOp>(x), axes, keep);
}

Value sumOfSquares(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.sum(build.multiply(x, x), axes, keep);
}

Value norm2(Builder &build, Value x, SizesRef axes, bool keep) {
  Value squares = sumOfSquares(build, x, axes, keep);
  if (isFloat(x))
    return build.unary<stablehlo::SqrtOp>(squares);
  Value root = build.unary<stablehlo::SqrtOp>(
      build.convert(squares, build.ops().getF64Type()));
  return build.convert(root, elementOf(x));
}

Value logSum(Builder &build, Value x, SizesRef axes, bool keep) {
  return build.log(build.sum(x, axes, keep));
}

Value logSumExp(Builder &build, Value x, SizesRef axes, bool keep) {
  Value most = build.largest(x, axes, /*keepDimensions=*/true);
  Value isFinite = build.make<stablehlo::IsFiniteOp>(
      RankedTensorType::get(shapeOf(most), build.boolean()), most);
  Value shift = build.select(isFinite, most, build.like(most, 0.0));
  Value total =
      build.log(build.sum(build.exp(build.subtract(x, shift)), axes, true));
  Value result = build.add(total, shift);
  if (keep)
    return result;
  Sizes shape;
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (!llvm::is_contained(axes, i))
      shape.push_back(shapeOf(x)[i]);
  return build.reshape(result, shape);
}

} // namespace

void registerReductions(Registry &registry) {
  registry.add("ReduceL1", reduce<norm1>);
  registry.add("ReduceL2", reduce<norm2>);
  registry.add("ReduceLogSum", reduce<logSum>);
  registry.add("ReduceLogSumExp", reduce<logSumExp>);
  registry.add("ReduceMax", reduce<largest>);
  registry.add("ReduceMean", reduce<mean>);
  registry.add("ReduceMin", reduce<smallest>);
  registry.add("ReduceProd", reduce<product>);
  registry.add("ReduceSum", reduce<sum, 13>);
  registry.add("ReduceSumSquare", reduce<sumOfSquares>);
}

} // namespace shardsmith::onnx
