// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements, and those that compute shapes. All shapes are
// known, so Shape and Size are constants.

#include "../Registry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

namespace shardsmith::onnx {
namespace {

void shape(Node &node) {
  SizesRef all = shapeOf(node.input(0));
  int64_t rank = static_cast<int64_t>(all.size());
  auto clamped = [&](int64_t position) {
    return std::clamp<int64_t>(position < 0 ? position + rank : position, 0,
                               rank);
  };
  int64_t start = clamped(node.integer("start", 0));
  int64_t end = clamped(node.integer("end", rank));
  node.result(
      node.build.integers(all.slice(start, std::max<int64_t>(end - start, 0))));
}

void size(Node &node) {
  node.result(node.build.constant(
      Tensor::scalar<int64_t>(ElementType::I64, countOf(node.input(0)))));
}

void reshape(Node &node) {
  Value x = node.input(0);
  Sizes wanted = node.knownIntegers(1);
  bool zeroIsZero = node.flag("allowzero", false);
  int64_t known = 1, open = -1;
  for (auto [i, size] : llvm::enumerate(wanted)) {
    if (size == 0 && !zeroIsZero) {
      if (static_cast<int64_t>(i) >= rankOf(x))
        badInput("its shape {} copies dimension {}, which a tensor of shape {} "
                 "has not",
                 text(wanted), i, text(shapeOf(x)));
      size = shapeOf(x)[i];
    }
    if (size == -1 && open < 0) {
      open = static_cast<int64_t>(i);
      continue;
    }
    if (size < 0)
      badInput("its shape {} has sizes below zero", text(wanted));
    if (__builtin_mul_overflow(known, size, &known))
      badInput("its shape {} has too many elements", text(wanted));
  }
  if (open >= 0)
    wanted[open] = known == 0 ? 0 : countOf(x) / known;
  node.result(node.build.reshape(x, wanted));
}

void flatten(Node &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", 1), rank = rankOf(x);
  if (axis < -rank || axis > rank)
    badInput("its axis {} is outside a tensor of rank {}", axis, rank);
  axis = axis < 0 ? axis + rank : axis;
  int64_t rows = 1;
  for (int64_t i = 0; i < axis; ++i)
    rows *= shapeOf(x)[i];
  int64_t columns = 1;
  for (int64_t i = axis; i < rank; ++i)
    columns *= shapeOf(x)[i];
  node.result(node.build.reshape(x, {rows, columns}));
}

void squeeze(Node &node) {
  Value x = node.input(0);
  std::optional<Sizes> axes = node.givenAxes(1, 13, rankOf(x));
  Sizes shape;
  for (int64_t i = 0; i < rankOf(x); ++i) {
    int64_t size = shapeOf(x)[i];
    bool isDropped = axes ? llvm::is_contained(*axes, i) : size == 1;
    if (isDropped && size != 1)
      badInput("it removes dimension {} of a tensor of shape {}, whose size is "
               "not 1",
               i, text(shapeOf(x)));
    if (!isDropped)
      shape.push_back(size);
  }
  node.result(node.build.reshape(x, shape));
}

void unsqueeze(Node &node) {
  Value x = node.input(0);
  Sizes given = node.opset() >= 13 ? node.knownIntegers(1)
                                   : node.integers("axes").value_or(Sizes());
  int64_t rank = rankOf(x) + static_cast<int64_t>(given.size());
  Sizes axes = node.axes(given, rank), shape;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(axes, i) ? 1 : shapeOf(x)[next++]);
  node.result(node.build.reshape(x, shape));
}

void transpose(Node &node) {
  Value x = node.input(0);
  Sizes reversed = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  std::reverse(reversed.begin(), reversed.end());
  Sizes permutation = node.integers("perm").value_or(reversed);
  if (static_cast<int64_t>(node.axes(permutation, rankOf(x)).size()) !=
      rankOf(x))
    badInput("its permutation {} does not fit a tensor of rank {}",
             text(permutation), rankOf(x));
  node.result(node.build.transpose(x, permutation));
}

void expand(Node &node) {
  Value x = node.input(0);
  Sizes wanted = node.knownIntegers(1);
  // The shape is broadcast as well: where it has ones, the tensor's sizes stay.
  Sizes result(shapeOf(x));
  if (wanted.size() > result.size())
    result.insert(result.begin(), wanted.size() - result.size(), 1);
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t &size = result[result.size() - wanted.size() + i];
    if (size == 1)
      size = wanted[i];
    else if (wanted[i] != 1 && wanted[i] != size)
      badInput("a tensor of shape {} cannot be expanded to {}",
               text(shapeOf(x)), text(wanted));
  }
  node.result(node.build.broadcast(x, result));
}

void tile(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Sizes repeats = node.knownIntegers(1);
  if (static_cast<int64_t>(repeats.size()) != rankOf(x))
    badInput("its {} repeats do not fit a tensor of rank {}", repeats.size(),
             rankOf(x));
  // Repeats are dimensions of their own before the ones that they repeat.
  Sizes wide, kept, shape;
  for (auto [i, repeat] : llvm::enumerate(repeats)) {
    int64_t size = shapeOf(x)[i], product = 0;
    if (repeat < 0 || __builtin_mul_overflow(repeat, size, &product))
      badInput("it repeats a dimension {} times", repeat);
    wide.append({repeat, size});
    kept.push_back(static_cast<int64_t>(2 * i + 1));
    shape.push_back(product);
  }
  node.result(build.reshape(build.broadcastInDim(x, wide, kept), shape));
}

void concat(Node &node) {
  int64_t axis = node.axis(node.integer("axis"), rankOf(node.input(0)));
  for (int64_t i = 0; i < node.inputCount(); ++i)
    (void)node.input(i);
  node.result(node.build.concatenate(node.allInputs(), axis));
}

void split(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(x));
  int64_t size = shapeOf(x)[axis], parts = node.outputCount();
  Sizes sizes;
  if (node.opset() >= 13 && node.hasInput(1)) {
    sizes = node.knownIntegers(1);
  } else if (node.opset() < 13 && node.hasAttribute("split")) {
    sizes = *node.integers("split");
  } else {
    parts = node.integer("num_outputs", parts);
    if (parts < 1)
      badInput("it splits into {} parts", parts);
    // The last part may be smaller.
    int64_t each = (size + parts - 1) / parts;
    for (int64_t i = 0; i < std::min(parts, node.outputCount()); ++i)
      sizes.push_back(std::clamp<int64_t>(size - i * each, 0, each));
  }
  int64_t start = 0;
  for (auto [i, part] : llvm::enumerate(sizes)) {
    if (part < 0 || part > size - start)
      badInput("its parts {} do not fit a dimension of size {}", text(sizes),
               size);
    node.result(i, build.slice(x, axis, start, start + part));
    start += part;
  }
  if (start != size)
    badInput("its parts {} do not fill a dimension of size {}", text(sizes),
             size);
}

void slice(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  Sizes starts = node.knownIntegers(1), ends = node.knownIntegers(2);
  Sizes axes = node.hasInput(3)
                   ? node.axes(node.knownIntegers(3), rankOf(x))
                   : llvm::to_vector(llvm::seq<int64_t>(0, starts.size()));
  Sizes steps =
      node.hasInput(4) ? node.knownIntegers(4) : Sizes(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size() ||
      static_cast<int64_t>(starts.size()) > rankOf(x))
    badInput("its starts, ends, axes and steps do not fit each other");
  Sizes low(rankOf(x), 0), high(shapeOf(x)), strides(rankOf(x), 1), reversed;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t axis = axes[i], size = shapeOf(x)[axis], step = steps[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      badInput("its step is {}", step);
    auto counted = [&](int64_t position) {
      return position < 0 ? position + size : position;
    };
    if (step > 0) {
      low[axis] = std::clamp<int64_t>(counted(starts[i]), 0, size);
      high[axis] =
          std::max(low[axis], std::clamp<int64_t>(counted(ends[i]), 0, size));
      strides[axis] = step;
      continue;
    }
    // Backwards: the mirrored tensor is read forwards.
    int64_t first = std::clamp<int64_t>(counted(starts[i]), -1, size - 1);
    int64_t last = std::clamp<int64_t>(counted(ends[i]), -1, size - 1);
    reversed.push_back(axis);
    low[axis] = size - 1 - first;
    high[axis] = std::max(low[axis], size - 1 - last);
    strides[axis] = -step;
  }
  if (!reversed.empty())
    x = build.reverse(x, reversed);
  node.result(build.slice(x, low, high, strides));
}

/// Pads one dimension with its own elements: positions outside are mapped to
/// positions inside, which are pieces of the tensor or of its mirror image.
Value padFrom(Builder &build, Value x, int64_t axis, int64_t low, int64_t high,
              const std::string &mode) {
  int64_t size = shapeOf(x)[axis];
  if (size == 0 || (mode == "reflect" && std::max(low, high) >= size) ||
      (mode == "wrap" && std::max(low, high) > size))
    unsupported("padding: {} of {} and {} elements is wider than its dimension "
                "of {}",
                mode, low, high, size);
  auto edge = [&](int64_t position, int64_t count) {
    Sizes shape(shapeOf(x));
    shape[axis] = count;
    return build.broadcast(build.slice(x, axis, position, position + 1), shape);
  };
  auto mirrored = [&](int64_t start, int64_t limit) {
    return build.reverse(build.slice(x, axis, start, limit), {axis});
  };
  llvm::SmallVector<Value> parts;
  if (low > 0)
    parts.push_back(mode == "edge" ? edge(0, low)
                    : mode == "reflect"
                        ? mirrored(1, 1 + low)
                        : build.slice(x, axis, size - low, size));
  parts.push_back(x);
  if (high > 0)
    parts.push_back(mode == "edge"      ? edge(size - 1, high)
                    : mode == "reflect" ? mirrored(size - 1 - high, size - 1)
                                        : build.slice(x, axis, 0, high));
  return build.concatenate(parts, axis);
}

void pad(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  std::string mode = node.text("mode", "constant");
  Sizes given = node.knownIntegers(1);
  Sizes axes = node.hasInput(3)
                   ? node.axes(node.knownIntegers(3), rankOf(x))
                   : llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  if (given.size() != 2 * axes.size())
    badInput("its {} pads do not fit {} dimensions", given.size(), axes.size());
  Sizes low(rankOf(x), 0), high(rankOf(x), 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[axis] = given[i];
    high[axis] = given[i + axes.size()];
  }
  if (mode == "constant") {
    Value padding = node.hasInput(2) ? build.reshape(node.input(2), {})
                                     : build.scalar(elementOf(x), 0.0);
    node.result(build.pad(x, padding, low, high));
    return;
  }
  if (mode != "edge" && mode != "reflect" && mode != "wrap")
    badInput("its mode is '{}', not constant, edge, reflect or wrap", mode);
  // Cropping comes first: what is cropped is not there to be mirrored.
  for (int64_t axis = 0; axis < rankOf(x); ++axis) {
    int64_t start = std::max<int64_t>(-low[axis], 0);
    int64_t limit = shapeOf(x)[axis] - std::max<int64_t>(-high[axis], 0);
    if (start > limit)
      badInput("it crops more than a dimension of size {}", shapeOf(x)[axis]);
    x = build.slice(x, axis, start, limit);
    x = padFrom(build, x, axis, std::max<int64_t>(low[axis], 0),
                std::max<int64_t>(high[axis], 0), mode);
  }
  node.result(x);
}

void depthToSpace(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t block = node.integer("blocksize");
  std::string mode = node.text("mode", "DCR");
  if (rankOf(x) != 4 || block < 1 || block > (1 << 20) ||
      shapeOf(x)[1] % (block * block) != 0)
    badInput("blocks of {} do not fit a tensor of shape {}", block,
             text(shapeOf(x)));
  int64_t n = shapeOf(x)[0], c = shapeOf(x)[1] / (block * block),
          h = shapeOf(x)[2], w = shapeOf(x)[3];
  Value split =
      mode == "DCR"
          ? build.transpose(build.reshape(x, {n, block, block, c, h, w}),
                            {0, 3, 4, 1, 5, 2})
          : build.transpose(build.reshape(x, {n, c, block, block, h, w}),
                            {0, 1, 4, 2, 5, 3});
  node.result(build.reshape(split, {n, c, h * block, w * block}));
}

void spaceToDepth(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t block = node.integer("blocksize");
  if (rankOf(x) != 4 || block < 1 || shapeOf(x)[2] % block != 0 ||
      shapeOf(x)[3] % block != 0)
    badInput("blocks of {} do not fit a tensor of shape {}", block,
             text(shapeOf(x)));
  int64_t n = shapeOf(x)[0], c = shapeOf(x)[1], h = shapeOf(x)[2] / block,
          w = shapeOf(x)[3] / block;
  Value parts = build.reshape(x, {n, c, h, block, w, block});
  Value split = node.text("mode", "DCR") == "DCR"
                    ? build.transpose(parts, {0, 3, 5, 1, 2, 4})
                    : build.transpose(parts, {0, 1, 3, 5, 2, 4});
  node.result(build.reshape(split, {n, c * block * block, h, w}));
}

/// Elements on and below (upper = 0), or on and above, a diagonal.
void trilu(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  if (rankOf(x) < 2)
    badInput("a tensor of rank {} has no diagonal", rankOf(x));
  int64_t diagonal = 0;
  if (node.hasInput(1))
    diagonal = node.known(1).size() == 1 ? node.known(1).asInteger(0) : 0;
  int64_t rows = shapeOf(x)[rankOf(x) - 2], columns = shapeOf(x).back();
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1);
  Value row = build.iota({rows, columns}, build.i64(), 0);
  Value column = build.iota({rows, columns}, build.i64(), 1);
  Value limit = build.add(row, static_cast<double>(diagonal));
  Value isKept = build.compare(column,
                               node.flag("upper", true)
                                   ? stablehlo::ComparisonDirection::GE
                                   : stablehlo::ComparisonDirection::LE,
                               limit);
  node.result(build.select(isKept, x, build.like(x, 0.0)));
}

void identity(Node &node) { node.result(node.input(0)); }

} // namespace

void registerShapes(Registry &registry) {
  registry.add("Concat", concat);
  registry.add("DepthToSpace", depthToSpace);
  registry.add("Expand", expand);
  registry.add("Flatten", flatten);
  registry.add("Identity", identity);
  registry.add("Pad", pad);
  registry.add("Reshape", reshape);
  registry.add("Shape", shape);
  registry.add("Size", size);
  registry.add("Slice", slice);
  registry.add("SpaceToDepth", spaceToDepth);
  registry.add("Split", split);
  registry.add("Squeeze", squeeze);
  registry.add("Tile", tile);
  registry.add("Transpose", transpose);
  registry.add("Trilu", trilu);
  registry.add("Unsqueeze", unsqueeze);
}

} // namespace shardsmith::onnx
