// SPDX-License-Identifier: Apache-2.0
//
// Tensors that no operand is needed for.

#include "../Registry.h"

#include "shardsmith/Interpreter/TensorAttributes.h"

namespace shardsmith::onnx {
namespace {

void constant(Node &node) {
  Builder &build = node.build;
  if (std::optional<Tensor> value = node.tensor("value")) {
    node.result(build.constant(*value));
  } else if (node.hasAttribute("value_int")) {
    node.result(build.constant(
        Tensor::scalar<int64_t>(ElementType::I64, node.integer("value_int"))));
  } else if (node.hasAttribute("value_float")) {
    node.result(build.constant(Tensor::scalar<float>(
        ElementType::F32, static_cast<float>(node.number("value_float", 0)))));
  } else if (std::optional<Sizes> integers = node.integers("value_ints")) {
    node.result(build.integers(*integers));
  } else if (auto numbers = node.numbers("value_floats")) {
    node.result(build.constant(Tensor::of<float>(
        ElementType::F32, {static_cast<int64_t>(numbers->size())}, *numbers)));
  } else {
    unsupported("constant of text, or of a sparse tensor");
  }
}

void constantOfShape(Node &node) {
  Builder &build = node.build;
  Sizes shape = node.knownIntegers(0);
  Tensor value = node.tensor("value").value_or(
      Tensor::scalar<float>(ElementType::F32, 0.0F));
  if (value.size() != 1)
    badInput("its value must be one number, it has {}", value.size());
  Value element = build.constant(value.reshaped({}));
  node.result(build.broadcastInDim(element, shape, {}));
}

/// The length must be known, the elements are computed.
void range(Node &node) {
  Builder &build = node.build;
  double start = node.knownNumber(0), limit = node.knownNumber(1),
         step = node.knownNumber(2);
  double count = std::ceil((limit - start) / step);
  if (step == 0 || !(count < static_cast<double>(mostElements)))
    badInput("it counts from {} to {} in steps of {}", start, limit, step);
  Type element = elementOf(node.input(0));
  Value index = build.iota({std::max<int64_t>(static_cast<int64_t>(count), 0)},
                           element, 0);
  node.result(build.add(build.multiply(index, step), start));
}

void eyeLike(Node &node) {
  Builder &build = node.build;
  Value like = node.input(0);
  if (rankOf(like) != 2)
    badInput("its operand has rank {}, not 2", rankOf(like));
  Type element = node.hasAttribute("dtype") ? node.elementType("dtype", 1)
                                            : elementOf(like);
  Value row = build.iota(shapeOf(like), build.i64(), 0);
  Value column = build.iota(shapeOf(like), build.i64(), 1);
  Value isDiagonal =
      build.compare(column, stablehlo::ComparisonDirection::EQ,
                    build.add(row, static_cast<double>(node.integer("k", 0))));
  node.result(build.convert(isDiagonal, element));
}

/// Without training nothing is dropped.
void dropout(Node &node) {
  Builder &build = node.build;
  bool isTraining = false;
  if (node.opset() >= 12 && node.hasInput(2))
    isTraining = node.knownNumber(2) != 0;
  double ratio = node.opset() < 12  ? node.number("ratio", 0.5)
                 : node.hasInput(1) ? node.knownNumber(1)
                                    : 0.5;
  if (isTraining && ratio != 0)
    unsupported("training mode with a ratio of {}: export the model for "
                "inference, or set the ratio to 0",
                ratio);
  node.result(0, node.input(0));
  if (node.wantsOutput(1))
    node.result(1, build.filled(shapeOf(node.input(0)), build.boolean(), 1.0));
}

} // namespace

void registerConstants(Registry &registry) {
  registry.add("Constant", constant);
  registry.add("ConstantOfShape", constantOfShape);
  registry.add("Dropout", dropout);
  registry.add("EyeLike", eyeLike);
  registry.add("Range", range);
}

} // namespace shardsmith::onnx
