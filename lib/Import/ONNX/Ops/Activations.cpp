// SPDX-License-Identifier: Apache-2.0
//
// Activations, by the formulas of their definitions.

#include "../Registry.h"

#include <numbers>

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

Value logistic(Builder &build, Value x) {
  return build.unary<stablehlo::LogisticOp>(x);
}

Value tanh(Builder &build, Value x) {
  return build.unary<stablehlo::TanhOp>(x);
}

/// `negative` where x < 0, else x.
Value orNegative(Builder &build, Value x, Value negative) {
  return build.select(build.compare(x, Direction::LT, 0.0), negative, x);
}

/// exp(min(x, 0)) - 1: the branch that is not taken must not overflow, since
/// its gradient would be no number.
Value decay(Builder &build, Value x) {
  return build.unary<stablehlo::Expm1Op>(build.minimum(x, 0.0));
}

/// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
Value softplus(Builder &build, Value x) {
  Value tail = build.unary<stablehlo::Log1pOp>(
      build.exp(build.negate(build.unary<stablehlo::AbsOp>(x))));
  return build.add(build.maximum(x, 0.0), tail);
}

Value hardSigmoid(Builder &build, Value x, double alpha, double beta) {
  return build.minimum(
      build.maximum(build.add(build.multiply(x, alpha), beta), 0.0), 1.0);
}

void relu(Node &node) { node.result(node.build.maximum(node.input(0), 0.0)); }

void leakyRelu(Node &node) {
  Value x = node.input(0);
  node.result(orNegative(node.build, x,
                         node.build.multiply(x, node.number("alpha", 0.01))));
}

void parametricRelu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0), slope = node.input(1);
  node.result(orNegative(
      build, x, build.multiply(x, build.broadcast(slope, shapeOf(x)))));
}

void thresholdedRelu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Value isLarge = build.compare(x, Direction::GT, node.number("alpha", 1.0));
  node.result(build.select(isLarge, x, build.like(x, 0.0)));
}

void sigmoid(Node &node) { node.result(logistic(node.build, node.input(0))); }

void hardSigmoidOp(Node &node) {
  node.result(hardSigmoid(node.build, node.input(0), node.number("alpha", 0.2),
                          node.number("beta", 0.5)));
}

void hardSwish(Node &node) {
  Value x = node.input(0);
  node.result(
      node.build.multiply(x, hardSigmoid(node.build, x, 1.0 / 6.0, 0.5)));
}

void swish(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  node.result(build.multiply(
      x, logistic(build, build.multiply(x, node.number("alpha", 1.0)))));
}

void mish(Node &node) {
  Value x = node.input(0);
  node.result(
      node.build.multiply(x, tanh(node.build, softplus(node.build, x))));
}

void elu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  node.result(orNegative(
      build, x, build.multiply(decay(build, x), node.number("alpha", 1.0))));
}

void celu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  double alpha = node.number("alpha", 1.0);
  Value negative = build.multiply(decay(build, build.divide(x, alpha)), alpha);
  node.result(orNegative(build, x, negative));
}

void selu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  // The constants of the definition, rounded to f32 there.
  double alpha = node.number("alpha", 1.67326319217681884765625);
  double gamma = node.number("gamma", 1.05070102214813232421875);
  Value negative = build.multiply(decay(build, x), alpha);
  node.result(build.multiply(orNegative(build, x, negative), gamma));
}

void softplusOp(Node &node) {
  node.result(softplus(node.build, node.input(0)));
}

void softsign(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  node.result(
      build.divide(x, build.add(build.unary<stablehlo::AbsOp>(x), 1.0)));
}

void shrink(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  double lambda = node.number("lambd", 0.5), bias = node.number("bias", 0.0);
  Value zero = build.like(x, 0.0);
  Value above = build.select(build.compare(x, Direction::GT, lambda),
                             build.add(x, -bias), zero);
  node.result(build.select(build.compare(x, Direction::LT, -lambda),
                           build.add(x, bias), above));
}

void gelu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0), inner;
  if (std::string approximation = node.text("approximate", "none");
      approximation == "none") {
    inner =
        build.unary<chlo::ErfOp>(build.multiply(x, 1.0 / std::numbers::sqrt2));
  } else if (approximation == "tanh") {
    Value cube = build.multiply(build.multiply(x, x), x);
    inner = tanh(
        build, build.multiply(build.add(x, build.multiply(cube, 0.044715)),
                              std::numbers::sqrt2 * std::numbers::inv_sqrtpi));
  } else {
    badInput("its approximation '{}' is neither none nor tanh", approximation);
  }
  node.result(build.multiply(build.multiply(x, 0.5), build.add(inner, 1.0)));
}

/// Before version 13 the operator works on a matrix: dimensions before `axis`
/// are rows, all others together are normalised.
template <Value (Builder::*function)(Value, SizesRef)>
void normalise(Node &node) {
  Value x = node.input(0);
  if (node.opset() >= 13) {
    int64_t axis = node.axis(node.integer("axis", -1), rankOf(x));
    node.result((node.build.*function)(x, {axis}));
    return;
  }
  int64_t first = node.integer("axis", 1);
  if (first != rankOf(x))
    first = node.axis(first, rankOf(x));
  Sizes dimensions;
  for (int64_t i = first; i < rankOf(x); ++i)
    dimensions.push_back(i);
  node.result((node.build.*function)(x, dimensions));
}

/// One at the first of the largest elements.
void hardmax(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t first = node.opset() >= 13
                      ? node.axis(node.integer("axis", -1), rankOf(x))
                      : node.axis(node.integer("axis", 1), rankOf(x));
  Sizes shape(shapeOf(x)), flat(shape.begin(), shape.end());
  if (node.opset() < 13) {
    flat.truncate(first);
    int64_t rest = 1;
    for (int64_t i = first; i < rankOf(x); ++i)
      rest *= shape[i];
    flat.push_back(rest);
  }
  Value rows = build.reshape(x, flat);
  Value positions = build.iota(flat, build.i64(), first);
  Value isLargest =
      build.compare(rows, Direction::EQ, build.largest(rows, {first}, true));
  Value candidates =
      build.select(isLargest, positions,
                   build.like(positions, static_cast<double>(flat[first])));
  Value chosen = build.reduce<stablehlo::MinOp>(
      candidates, {first}, static_cast<double>(flat[first]), true);
  Value isChosen = build.compare(positions, Direction::EQ, chosen);
  node.result(build.reshape(build.convert(isChosen, elementOf(x)), shape));
}

} // namespace

void registerActivations(Registry &registry) {
  registry.add("Celu", celu);
  registry.add("Elu", elu);
  registry.add("Gelu", gelu);
  registry.add("HardSigmoid", hardSigmoidOp);
  registry.add("HardSwish", hardSwish);
  registry.add("Hardmax", hardmax);
  registry.add("LeakyRelu", leakyRelu);
  registry.add("LogSoftmax", normalise<&Builder::logSoftmax>);
  registry.add("Mish", mish);
  registry.add("PRelu", parametricRelu);
  registry.add("Relu", relu);
  registry.add("Selu", selu);
  registry.add("Shrink", shrink);
  registry.add("Sigmoid", sigmoid);
  registry.add("Softmax", normalise<&Builder::softmax>);
  registry.add("Softplus", softplusOp);
  registry.add("Softsign", softsign);
  registry.add("Swish", swish);
  registry.add("ThresholdedRelu", thresholdedRelu);
}

} // namespace shardsmith::onnx
