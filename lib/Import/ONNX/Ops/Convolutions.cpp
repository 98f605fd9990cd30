// SPDX-License-Identifier: Apache-2.0
//
// Convolutions over samples, features and any number of spatial dimensions, in
// this order; kernels are [outputs, inputs of a group, window].

#include "../Registry.h"
#include "../Windows.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

Sizes spatialDimensions(Value value) {
  return llvm::to_vector(llvm::seq<int64_t>(2, rankOf(value)));
}

/// `bias` has one element per feature.
Value withBias(Node &node, Value result) {
  if (!node.hasInput(2))
    return result;
  Value bias = node.input(2);
  if (rankOf(bias) != 1 || shapeOf(bias)[0] != shapeOf(result)[1])
    badInput("its bias of shape {} does not fit {} features",
             text(shapeOf(bias)), shapeOf(result)[1]);
  return node.build.add(result,
                        node.build.broadcastInDim(bias, shapeOf(result), {1}));
}

void requireKernel(Value input, Value kernel) {
  if (rankOf(input) < 3 || rankOf(kernel) != rankOf(input))
    badInput("a kernel of shape {} does not fit a tensor of shape {}",
             text(shapeOf(kernel)), text(shapeOf(input)));
}

int64_t groupsOf(const Node &node, Value input) {
  int64_t groups = node.integer("group", 1);
  if (groups < 1 || shapeOf(input)[1] % groups != 0)
    badInput("{} groups do not divide {} features", groups, shapeOf(input)[1]);
  return groups;
}

Sizes kernelOf(const Node &node, Value kernel) {
  Sizes sizes(shapeOf(kernel).drop_front(2));
  if (std::optional<Sizes> given = node.integers("kernel_shape");
      given && *given != sizes)
    badInput("its kernel_shape {} is not that of its kernel, {}", text(*given),
             text(sizes));
  return sizes;
}

struct Convolution {
  Value input, kernel;
  Windows windows;
  Sizes inputDilations;
  int64_t groups = 1;
  /// Positions of outputs and inputs in the kernel's shape.
  int64_t kernelOutputs = 0, kernelInputs = 1;
};

Value convolve(Builder &build, const Convolution &c, SizesRef outputSpatial) {
  Sizes shape{shapeOf(c.input)[0], shapeOf(c.kernel)[c.kernelOutputs]};
  shape.append(outputSpatial.begin(), outputSpatial.end());
  Sizes spatial = spatialDimensions(c.input);
  auto numbers = stablehlo::ConvDimensionNumbersAttr::get(
      build.ops().getContext(), /*inputBatch=*/0, /*inputFeature=*/1, spatial,
      c.kernelInputs, c.kernelOutputs, spatial, /*outputBatch=*/0,
      /*outputFeature=*/1, spatial);
  auto &ops = build.ops();
  return build.make<stablehlo::ConvolutionOp>(
      build.tensorType(shape, elementOf(c.input)), c.input, c.kernel,
      ops.getDenseI64ArrayAttr(c.windows.strides),
      paddingOf(build, c.windows.low, c.windows.high),
      ops.getDenseI64ArrayAttr(c.inputDilations),
      ops.getDenseI64ArrayAttr(c.windows.dilations), mlir::DenseBoolArrayAttr(),
      numbers, ops.getI64IntegerAttr(c.groups), ops.getI64IntegerAttr(1),
      mlir::ArrayAttr());
}

void conv(Node &node) {
  Value x = node.input(0), kernel = node.input(1);
  requireKernel(x, kernel);
  Convolution c{x, kernel, readWindows(node, x, kernelOf(node, kernel)),
                Sizes(rankOf(x) - 2, 1), groupsOf(node, x)};
  Sizes outputs = outputSizes(c.windows, shapeOf(x).drop_front(2));
  node.result(withBias(node, convolve(node.build, c, outputs)));
}

/// The derivative of a convolution by its input: strides spread the input,
/// and the kernel is mirrored.
void convTranspose(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0), kernel = node.input(1);
  requireKernel(x, kernel);
  int64_t groups = groupsOf(node, x), spatial = rankOf(x) - 2;
  Sizes sizes = kernelOf(node, kernel);
  Windows given = readWindows(node, x, sizes);
  Sizes extra = node.integers("output_padding").value_or(Sizes(spatial, 0));
  std::optional<Sizes> wanted = node.integers("output_shape");
  if (wanted && static_cast<int64_t>(wanted->size()) == spatial + 2)
    wanted->erase(wanted->begin(), wanted->begin() + 2);
  std::string automatic = node.text("auto_pad", "NOTSET");
  bool isSame = automatic.starts_with("SAME");
  if (static_cast<int64_t>(extra.size()) != spatial ||
      (wanted && static_cast<int64_t>(wanted->size()) != spatial))
    badInput("its output_padding or output_shape does not fit {} spatial "
             "dimensions",
             spatial);
  Windows windows{sizes, Sizes(spatial, 1), given.dilations, {}, {}};
  Sizes outputs;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extent = (sizes[i] - 1) * given.dilations[i] + 1;
    int64_t size = shapeOf(x)[2 + i], stride = given.strides[i];
    int64_t full = stride * (size - 1) + extra[i] + extent;
    int64_t low = given.low[i], high = given.high[i];
    if (wanted || isSame) {
      int64_t target = wanted ? (*wanted)[i] : size * stride;
      int64_t total = full - target;
      low = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      // The definition gives the larger half to the end unless it is lower.
      if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
        low = total / 2;
      high = total - low;
    }
    windows.low.push_back(extent - 1 - low);
    windows.high.push_back(extent - 1 - high + extra[i]);
    outputs.push_back(full - low - high);
  }
  // [inputs, outputs of a group, …] becomes [inputs of a group, outputs, …].
  if (shapeOf(kernel)[0] != shapeOf(x)[1])
    badInput("a kernel of shape {} does not fit a tensor of shape {}",
             text(shapeOf(kernel)), text(shapeOf(x)));
  int64_t inputs = shapeOf(kernel)[0] / groups, each = shapeOf(kernel)[1];
  Value mirrored = build.reverse(kernel, spatialDimensions(kernel));
  if (groups > 1) {
    Sizes split{groups, inputs, each}, order{1, 0, 2},
        joined{inputs, groups * each};
    for (int64_t i = 0; i < spatial; ++i) {
      split.push_back(sizes[i]);
      joined.push_back(sizes[i]);
      order.push_back(3 + i);
    }
    mirrored = build.reshape(
        build.transpose(build.reshape(mirrored, split), order), joined);
  }
  Convolution c{.input = x,
                .kernel = mirrored,
                .windows = windows,
                .inputDilations = given.strides,
                .groups = groups,
                .kernelOutputs = 1,
                .kernelInputs = 0};
  node.result(withBias(node, convolve(build, c, outputs)));
}

} // namespace

void registerConvolutions(Registry &registry) {
  registry.add("Conv", conv);
  registry.add("ConvTranspose", convTranspose);
}

} // namespace shardsmith::onnx
