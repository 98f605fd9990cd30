// SPDX-License-Identifier: Apache-2.0

#include "Windows.h"

namespace shardsmith::onnx {
namespace {

constexpr int64_t largest = int64_t(1) << 32;

Sizes listOf(const Node &node, const char *name, size_t count, int64_t fallback,
             int64_t least) {
  Sizes list = node.integers(name).value_or(Sizes(count, fallback));
  if (list.size() != count)
    badInput("its attribute '{}' has {} numbers for {} spatial dimensions",
             name, list.size(), count);
  for (int64_t number : list)
    if (number < least || number > largest)
      badInput("its attribute '{}' holds {}", name, number);
  return list;
}

} // namespace

Windows readWindows(const Node &node, Value input, Sizes kernel) {
  int64_t spatial = rankOf(input) - 2;
  if (spatial < 1 || static_cast<int64_t>(kernel.size()) != spatial)
    badInput("windows of {} do not fit a tensor of shape {}", text(kernel),
             text(shapeOf(input)));
  for (int64_t size : kernel)
    if (size < 1 || size > largest)
      badInput("a window of {} is empty or too large", text(kernel));
  Windows windows{.kernel = std::move(kernel),
                  .strides = listOf(node, "strides", spatial, 1, 1),
                  .dilations = listOf(node, "dilations", spatial, 1, 1),
                  .low = Sizes(spatial, 0),
                  .high = Sizes(spatial, 0)};
  SizesRef sizes = shapeOf(input).drop_front(2);
  std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t extent = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
      int64_t count = (sizes[i] + windows.strides[i] - 1) / windows.strides[i];
      int64_t total = std::max<int64_t>(
          (count - 1) * windows.strides[i] + extent - sizes[i], 0);
      int64_t smaller = total / 2;
      windows.low[i] = automatic == "SAME_UPPER" ? smaller : total - smaller;
      windows.high[i] = total - windows.low[i];
    }
    return windows;
  }
  if (automatic != "NOTSET" && automatic != "VALID" && !automatic.empty())
    badInput("its auto_pad is '{}'", automatic);
  if (automatic != "VALID") {
    Sizes pads = listOf(node, "pads", 2 * spatial, 0, 0);
    windows.low.assign(pads.begin(), pads.begin() + spatial);
    windows.high.assign(pads.begin() + spatial, pads.end());
  }
  if (!node.flag("ceil_mode", false))
    return windows;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extent = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    int64_t room = sizes[i] + windows.low[i] + windows.high[i] - extent;
    int64_t stride = windows.strides[i];
    if (room < 0)
      continue;
    int64_t last = (room + stride - 1) / stride;
    // A window that begins behind the tensor is not there.
    if (last * stride >= sizes[i] + windows.low[i])
      --last;
    windows.high[i] += std::max<int64_t>(
        last * stride + extent - (sizes[i] + windows.low[i] + windows.high[i]),
        0);
  }
  return windows;
}

Sizes outputSizes(const Windows &windows, SizesRef spatial) {
  Sizes sizes;
  for (auto [i, size] : llvm::enumerate(spatial)) {
    int64_t extent = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    int64_t room = size + windows.low[i] + windows.high[i] - extent;
    if (room < 0)
      badInput("a window of {} elements is larger than a dimension of {} with "
               "its padding",
               extent, size);
    sizes.push_back(room / windows.strides[i] + 1);
  }
  return sizes;
}

mlir::DenseIntElementsAttr paddingOf(Builder &build, SizesRef low,
                                     SizesRef high) {
  Sizes pairs;
  for (auto [before, after] : llvm::zip_equal(low, high))
    pairs.append({before, after});
  return mlir::DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(low.size()), 2}, build.i64()),
      pairs);
}

} // namespace shardsmith::onnx
