// SPDX-License-Identifier: Apache-2.0
//
// Reductions of windows over spatial dimensions, and of all of them.

#include "../Registry.h"
#include "../Windows.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

template <typename Op>
Value reduceWindows(Builder &build, Value x, const Windows &windows,
                    Value init) {
  auto withFeatures = [](SizesRef spatial, int64_t value) {
    Sizes all{value, value};
    all.append(spatial.begin(), spatial.end());
    return all;
  };
  Sizes outputs = outputSizes(windows, shapeOf(x).drop_front(2));
  Sizes shape{shapeOf(x)[0], shapeOf(x)[1]};
  shape.append(outputs);
  auto &ops = build.ops();
  auto op = stablehlo::ReduceWindowOp::create(
      ops, mlir::TypeRange{build.tensorType(shape, elementOf(x))},
      mlir::ValueRange{x}, mlir::ValueRange{init},
      ops.getDenseI64ArrayAttr(withFeatures(windows.kernel, 1)),
      ops.getDenseI64ArrayAttr(withFeatures(windows.strides, 1)),
      mlir::DenseI64ArrayAttr(),
      ops.getDenseI64ArrayAttr(withFeatures(windows.dilations, 1)),
      paddingOf(build, withFeatures(windows.low, 0),
                withFeatures(windows.high, 0)));
  buildScalarBody<Op>(ops, op.getBody(), elementOf(x));
  build.verify(op);
  return op->getResult(0);
}

Windows windowsOf(const Node &node, Value x) {
  std::optional<Sizes> kernel = node.integers("kernel_shape");
  if (!kernel)
    badInput("its attribute 'kernel_shape' is missing");
  return readWindows(node, x, *kernel);
}

void maxPool(Node &node) {
  Value x = node.input(0);
  if (node.wantsOutput(1))
    unsupported("result 1, the positions of the largest elements");
  node.result(reduceWindows<stablehlo::MaxOp>(node.build, x, windowsOf(node, x),
                                              node.build.least(elementOf(x))));
}

/// How many elements each window averages. Padding that `ceil_mode` adds never
/// counts; the padding of the file counts with `count_include_pad`.
Value windowCounts(Node &node, Value x, const Windows &windows) {
  Builder &build = node.build;
  SizesRef spatial = shapeOf(x).drop_front(2);
  Sizes shape{1, 1};
  shape.append(spatial.begin(), spatial.end());
  Value ones = build.filled(shape, elementOf(x), 1.0);
  Windows counted = windows;
  if (node.flag("count_include_pad", false)) {
    Sizes pads = node.integers("pads").value_or(Sizes(2 * spatial.size(), 0));
    bool isGiven = node.text("auto_pad", "NOTSET") == "NOTSET";
    Sizes low(2, 0), high(2, 0);
    for (size_t i = 0; i < spatial.size(); ++i) {
      low.push_back(windows.low[i]);
      high.push_back(isGiven ? pads[spatial.size() + i] : windows.high[i]);
      counted.low[i] = 0;
      counted.high[i] -= high.back();
    }
    ones = build.pad(ones, build.scalar(elementOf(x), 1.0), low, high);
  }
  return reduceWindows<stablehlo::AddOp>(build, ones, counted,
                                         build.scalar(elementOf(x), 0.0));
}

void averagePool(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Windows windows = windowsOf(node, x);
  Value sums = reduceWindows<stablehlo::AddOp>(build, x, windows,
                                               build.scalar(elementOf(x), 0.0));
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(windows.low, isZero) && llvm::all_of(windows.high, isZero)) {
    double count = 1;
    for (int64_t size : windows.kernel)
      count *= static_cast<double>(size);
    node.result(build.divide(sums, count));
    return;
  }
  node.result(build.divide(sums, windowCounts(node, x, windows)));
}

void lpPool(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  auto p = static_cast<double>(node.integer("p", 2));
  Value powers = build.binary<stablehlo::PowOp>(
      build.unary<stablehlo::AbsOp>(x), build.like(x, p));
  Value sums = reduceWindows<stablehlo::AddOp>(
      build, powers, windowsOf(node, x), build.scalar(elementOf(x), 0.0));
  node.result(build.binary<stablehlo::PowOp>(sums, build.like(sums, 1.0 / p)));
}

Sizes spatialOf(Value x) {
  if (rankOf(x) < 3)
    badInput("a tensor of shape {} has no spatial dimensions",
             text(shapeOf(x)));
  return llvm::to_vector(llvm::seq<int64_t>(2, rankOf(x)));
}

void globalAverage(Node &node) {
  Value x = node.input(0);
  node.result(node.build.mean(x, spatialOf(x), /*keepDimensions=*/true));
}

void globalMax(Node &node) {
  Value x = node.input(0);
  node.result(node.build.largest(x, spatialOf(x), /*keepDimensions=*/true));
}

} // namespace

void registerPools(Registry &registry) {
  registry.add("AveragePool", averagePool);
  registry.add("GlobalAveragePool", globalAverage);
  registry.add("GlobalMaxPool", globalMax);
  registry.add("LpPool", lpPool);
  registry.add("MaxPool", maxPool);
}

} // namespace shardsmith::onnx
