// SPDX-License-Identifier: Apache-2.0
//
// Normalisations: (x - mean) / √(variance + ε) · scale + bias, over what each
// of them counts together.

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

struct Moments {
  Value mean, variance;
};

Moments momentsOf(Builder &build, Value x, SizesRef dimensions) {
  Value mean = build.mean(x, dimensions, true);
  Value centred = build.subtract(x, mean);
  return {mean, build.mean(build.multiply(centred, centred), dimensions, true)};
}

/// Statistics are computed in f32 or wider.
Value widened(Builder &build, Value x) {
  if (!isFloat(x))
    badInput("its operand holds no floats");
  return elementOf(x).getIntOrFloatBitWidth() < 32
             ? build.convert(x, build.f32())
             : x;
}

/// `vector` along dimension 1 of tensors like `x`.
Value perFeature(Builder &build, Value vector, Value x) {
  if (rankOf(x) < 2 || rankOf(vector) != 1 ||
      shapeOf(vector)[0] != shapeOf(x)[1])
    badInput("a vector of shape {} does not fit the features of a tensor of "
             "shape {}",
             text(shapeOf(vector)), text(shapeOf(x)));
  return build.broadcastInDim(build.convert(vector, elementOf(x)), shapeOf(x),
                              {1});
}

Value normalized(Builder &build, Value x, const Moments &moments,
                 double epsilon) {
  Value inverse = build.rsqrt(build.add(moments.variance, epsilon));
  return build.multiply(build.subtract(x, moments.mean), inverse);
}

void layerNormalization(Node &node) {
  Builder &build = node.build;
  Value input = node.input(0), x = widened(build, input);
  int64_t axis = node.axis(node.integer("axis", -1), rankOf(x));
  Sizes dimensions = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(x)));
  double epsilon = node.number("epsilon", 1e-5);
  Moments moments = momentsOf(build, x, dimensions);
  Value y =
      build.convert(normalized(build, x, moments, epsilon), elementOf(input));
  y = build.multiply(y, build.broadcast(node.input(1), shapeOf(x)));
  if (node.hasInput(2))
    y = build.add(y, build.broadcast(node.input(2), shapeOf(x)));
  node.result(0, y);
  if (node.wantsOutput(1))
    node.result(1, moments.mean);
  if (node.wantsOutput(2))
    node.result(2, build.rsqrt(build.add(moments.variance, epsilon)));
}

void rmsNormalization(Node &node) {
  Builder &build = node.build;
  Value input = node.input(0), x = widened(build, input);
  int64_t axis = node.axis(node.integer("axis", -1), rankOf(x));
  Sizes dimensions = llvm::to_vector(llvm::seq<int64_t>(axis, rankOf(x)));
  Value squares = build.mean(build.multiply(x, x), dimensions, true);
  Value y = build.multiply(
      x, build.rsqrt(build.add(squares, node.number("epsilon", 1e-5))));
  y = build.convert(y, elementOf(input));
  node.result(build.multiply(y, build.broadcast(node.input(1), shapeOf(x))));
}

void instanceNormalization(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Sizes dimensions = llvm::to_vector(llvm::seq<int64_t>(2, rankOf(x)));
  Value y = normalized(build, x, momentsOf(build, x, dimensions),
                       node.number("epsilon", 1e-5));
  y = build.multiply(y, perFeature(build, node.input(1), x));
  node.result(build.add(y, perFeature(build, node.input(2), x)));
}

void groupNormalization(Node &node) {
  Builder &build = node.build;
  Value input = node.input(0), x = widened(build, input);
  int64_t groups = node.integer("num_groups");
  if (rankOf(x) < 2 || groups < 1 || shapeOf(x)[1] % groups != 0)
    badInput("{} groups do not divide the features of a tensor of shape {}",
             groups, text(shapeOf(x)));
  int64_t each = shapeOf(x)[1] / groups;
  Sizes shape{shapeOf(x)[0], groups, each};
  shape.append(shapeOf(x).begin() + 2, shapeOf(x).end());
  Value rows = build.reshape(x, shape);
  Sizes dimensions = llvm::to_vector(llvm::seq<int64_t>(2, rankOf(rows)));
  Value y = build.reshape(
      build.convert(normalized(build, rows, momentsOf(build, rows, dimensions),
                               node.number("epsilon", 1e-5)),
                    elementOf(input)),
      shapeOf(x));
  // Until version 20 scale and bias had an element per group.
  auto spread = [&](Value vector) {
    if (node.opset() < 21 && rankOf(vector) == 1 &&
        shapeOf(vector)[0] == groups && each > 1)
      vector = build.reshape(build.broadcastInDim(vector, {groups, each}, {0}),
                             {groups * each});
    return perFeature(build, vector, y);
  };
  y = build.multiply(y, spread(node.input(1)));
  node.result(build.add(y, spread(node.input(2))));
}

/// In training mode with statistics of the batch, which the running ones
/// follow; otherwise with those of the file, which stay as they are.
void batchNormalization(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  double epsilon = node.number("epsilon", 1e-5);
  bool isTraining = node.flag("training_mode", false) ||
                    (node.opset() < 14 && node.wantsOutput(1));
  Value mean, variance;
  if (isTraining) {
    if (rankOf(x) < 2)
      badInput("a tensor of shape {} has no features", text(shapeOf(x)));
    Sizes dimensions{0};
    for (int64_t i = 2; i < rankOf(x); ++i)
      dimensions.push_back(i);
    Moments moments = momentsOf(build, x, dimensions);
    Sizes features{shapeOf(x)[1]};
    mean = build.reshape(moments.mean, features);
    variance = build.reshape(moments.variance, features);
    double momentum = node.number("momentum", 0.9);
    auto follow = [&](Value running, Value batch) {
      return build.add(build.multiply(running, momentum),
                       build.multiply(build.convert(batch, elementOf(running)),
                                      1.0 - momentum));
    };
    if (node.wantsOutput(1))
      node.result(1, follow(node.frozen(3), mean));
    if (node.wantsOutput(2))
      node.result(2, follow(node.frozen(4), variance));
  } else {
    mean = node.frozen(3);
    variance = node.frozen(4);
  }
  Value inverse = build.rsqrt(build.add(variance, epsilon));
  Value y = build.multiply(build.subtract(x, perFeature(build, mean, x)),
                           perFeature(build, inverse, x));
  y = build.multiply(y, perFeature(build, node.input(1), x));
  node.result(0, build.add(y, perFeature(build, node.input(2), x)));
}

void meanVarianceNormalization(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Sizes axes =
      node.axes(node.integers("axes").value_or(Sizes{0, 2, 3}), rankOf(x));
  Moments moments = momentsOf(build, x, axes);
  Value deviation = build.unary<stablehlo::SqrtOp>(moments.variance);
  node.result(build.divide(build.subtract(x, moments.mean),
                           build.add(deviation, 1e-9)));
}

void lpNormalization(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", -1), rankOf(x));
  int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2)
    badInput("its norm p = {} is neither 1 nor 2", p);
  Value norm = p == 1
                   ? build.sum(build.unary<stablehlo::AbsOp>(x), {axis}, true)
                   : build.unary<stablehlo::SqrtOp>(
                         build.sum(build.multiply(x, x), {axis}, true));
  // A vector of zeros stays one.
  Value isZero = build.compare(norm, stablehlo::ComparisonDirection::EQ, 0.0);
  node.result(
      build.divide(x, build.select(isZero, build.like(norm, 1.0), norm)));
}

/// Neighbouring features within a window of `size`.
void localResponse(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t size = node.integer("size");
  if (rankOf(x) < 3 || size < 1 || size > (1 << 20))
    badInput("a window of {} features does not fit a tensor of shape {}", size,
             text(shapeOf(x)));
  Sizes low(rankOf(x), 0), high(rankOf(x), 0);
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value squares = build.pad(build.multiply(x, x),
                            build.scalar(elementOf(x), 0.0), low, high);
  Value total;
  for (int64_t i = 0; i < size; ++i) {
    Value part = build.slice(squares, 1, i, i + shapeOf(x)[1]);
    total = total ? build.add(total, part) : part;
  }
  Value base = build.add(build.multiply(total, node.number("alpha", 1e-4) /
                                                   static_cast<double>(size)),
                         node.number("bias", 1.0));
  node.result(
      build.divide(x, build.binary<stablehlo::PowOp>(
                          base, build.like(base, node.number("beta", 0.75)))));
}

} // namespace

void registerNormalizations(Registry &registry) {
  registry.add("BatchNormalization", batchNormalization);
  registry.add("GroupNormalization", groupNormalization);
  registry.add("InstanceNormalization", instanceNormalization);
  registry.add("LRN", localResponse);
  registry.add("LayerNormalization", layerNormalization);
  registry.add("LpNormalization", lpNormalization);
  registry.add("MeanVarianceNormalization", meanVarianceNormalization);
  registry.add("RMSNormalization", rmsNormalization);
}

} // namespace shardsmith::onnx
