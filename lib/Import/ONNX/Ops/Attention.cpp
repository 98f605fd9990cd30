// SPDX-License-Identifier: Apache-2.0
//
// Attention and rotary positions as single operators, by the functions that
// define them. Heads are [samples, heads, positions, channels].

#include "../Registry.h"

#include <cmath>
#include <limits>

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

/// Splits [samples, positions, heads · channels] into heads.
Value toHeads(Builder &build, Value x, int64_t heads) {
  if (rankOf(x) == 4)
    return x;
  if (rankOf(x) != 3 || heads < 1 || shapeOf(x)[2] % heads != 0)
    badInput("{} heads do not divide a tensor of shape {}", heads,
             text(shapeOf(x)));
  Sizes split{shapeOf(x)[0], shapeOf(x)[1], heads, shapeOf(x)[2] / heads};
  return build.transpose(build.reshape(x, split), {0, 2, 1, 3});
}

Value fromHeads(Builder &build, Value x) {
  Sizes joined{shapeOf(x)[0], shapeOf(x)[2], shapeOf(x)[1] * shapeOf(x)[3]};
  return build.reshape(build.transpose(x, {0, 2, 1, 3}), joined);
}

/// Every head of keys serves `repeats` heads of queries.
Value repeatHeads(Builder &build, Value x, int64_t repeats) {
  if (repeats == 1)
    return x;
  Sizes wide{shapeOf(x)[0], shapeOf(x)[1], repeats, shapeOf(x)[2],
             shapeOf(x)[3]};
  Sizes joined{wide[0], wide[1] * repeats, wide[3], wide[4]};
  return build.reshape(build.broadcastInDim(x, wide, {0, 1, 3, 4}), joined);
}

Value maskToBias(Builder &build, Value mask, Type element) {
  if (!isBoolean(mask))
    return build.convert(mask, element);
  double lowest = -std::numeric_limits<double>::infinity();
  Value zero = build.filled(shapeOf(mask), element, 0.0);
  return build.select(mask, zero, build.like(zero, lowest));
}

/// Softmax of the last dimension; a row in which nothing is seen is zero.
Value maskedSoftmax(Builder &build, Value scores) {
  Value most = build.largest(scores, {3}, /*keepDimensions=*/true);
  Value isSeen = build.compare(most, Direction::GT,
                               -std::numeric_limits<double>::infinity());
  Value shift = build.select(isSeen, most, build.like(most, 0.0));
  Value powers = build.exp(build.subtract(scores, shift));
  Value total = build.sum(powers, {3}, /*keepDimensions=*/true);
  return build.divide(powers,
                      build.select(isSeen, total, build.like(total, 1.0)));
}

/// Newer versions may add what changes the result.
void requireKnownAttributes(const Node &node,
                            llvm::ArrayRef<llvm::StringRef> known) {
  for (const format::Attribute &attribute : node.message().attribute())
    if (!llvm::is_contained(known, attribute.name()))
      unsupported("attribute '{}'", attribute.name());
}

void attention(Node &node) {
  requireKnownAttributes(node, {"is_causal", "kv_num_heads", "q_num_heads",
                                "qk_matmul_output_mode", "scale", "softcap",
                                "softmax_precision"});
  Builder &build = node.build;
  Value query = node.input(0);
  bool isFlat = rankOf(query) == 3;
  int64_t queryHeads = node.integer("q_num_heads", 0);
  int64_t keyHeads = node.integer("kv_num_heads", 0);
  Value q = toHeads(build, query, queryHeads);
  Value k = toHeads(build, node.input(1), keyHeads);
  Value v = toHeads(build, node.input(2), keyHeads);
  if (node.hasInput(6))
    unsupported("operand 6, the number of keys that are no padding");
  int64_t past = 0;
  if (node.hasInput(4) && node.hasInput(5)) {
    past = rankOf(node.input(4)) == 4 ? shapeOf(node.input(4))[2] : 0;
    k = build.concatenate({node.input(4), k}, 2);
    v = build.concatenate({node.input(5), v}, 2);
  }
  Value presentKey = k, presentValue = v;
  if (rankOf(q) != 4 || rankOf(k) != 4 || rankOf(v) != 4 || shapeOf(k)[1] < 1 ||
      shapeOf(q)[1] % shapeOf(k)[1] != 0 || shapeOf(v)[1] != shapeOf(k)[1])
    badInput("queries, keys and values of shapes {}, {} and {} do not fit each "
             "other",
             text(shapeOf(q)), text(shapeOf(k)), text(shapeOf(v)));
  int64_t repeats = shapeOf(q)[1] / shapeOf(k)[1];
  k = repeatHeads(build, k, repeats);
  v = repeatHeads(build, v, repeats);
  double scale =
      node.number("scale", 1.0 / std::sqrt(static_cast<double>(shapeOf(q)[3])));
  // Both factors get the root, as the definition says, for narrow floats.
  q = build.multiply(q, std::sqrt(scale));
  k = build.multiply(k, std::sqrt(scale));
  Value scores = build.contract(q, k, {0, 1}, {0, 1}, {3}, {3});
  Value raw = scores;
  Type element = elementOf(scores);
  int64_t rows = shapeOf(scores)[2], columns = shapeOf(scores)[3];
  double cap = node.number("softcap", 0.0);
  auto applyCap = [&](Value x) {
    return cap == 0
               ? x
               : build.multiply(
                     build.unary<stablehlo::TanhOp>(build.divide(x, cap)), cap);
  };
  Value capped = applyCap(scores);
  scores = capped;
  if (node.hasInput(3)) {
    Value bias = maskToBias(build, node.input(3), element);
    // A mask may be shorter than the keys; what it lacks is not seen.
    if (rankOf(bias) > 0 && shapeOf(bias).back() < columns &&
        shapeOf(bias).back() > 1) {
      Sizes low(rankOf(bias), 0), high(rankOf(bias), 0);
      high.back() = columns - shapeOf(bias).back();
      bias = build.pad(bias, build.least(element), low, high);
    }
    scores = build.add(scores, build.broadcast(bias, shapeOf(scores)));
  }
  if (node.flag("is_causal", false)) {
    Value row = build.iota({rows, columns}, build.i64(), 0);
    Value column = build.iota({rows, columns}, build.i64(), 1);
    Value isSeen = build.compare(column, Direction::LE,
                                 build.add(row, static_cast<double>(past)));
    scores =
        build.add(scores, build.broadcast(maskToBias(build, isSeen, element),
                                          shapeOf(scores)));
  }
  Value biased = scores;
  Type precision = node.hasAttribute("softmax_precision")
                       ? node.elementType("softmax_precision", 1)
                       : element;
  Value weights = build.convert(
      maskedSoftmax(build, build.convert(scores, precision)), element);
  Value result = build.contract(weights, v, {0, 1}, {0, 1}, {3}, {2});
  node.result(0, isFlat ? fromHeads(build, result) : result);
  node.result(1, presentKey);
  node.result(2, presentValue);
  if (node.wantsOutput(3)) {
    const Value modes[] = {raw, capped, biased, weights};
    int64_t mode = node.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      badInput("its qk_matmul_output_mode is {}", mode);
    node.result(3, modes[mode]);
  }
}

/// Rotates pairs of channels by angles that grow with the position.
void rotaryEmbedding(Node &node) {
  Builder &build = node.build;
  Value input = node.input(0);
  bool isFlat = rankOf(input) == 3;
  Value x = toHeads(build, input, node.integer("num_heads", 0));
  if (rankOf(x) != 4)
    badInput("a tensor of shape {} has no heads", text(shapeOf(input)));
  int64_t channels = shapeOf(x)[3];
  int64_t rotated = node.integer("rotary_embedding_dim", 0);
  rotated = rotated == 0 ? channels : rotated;
  if (rotated < 2 || rotated > channels || rotated % 2 != 0)
    badInput("it rotates {} of {} channels", rotated, channels);
  int64_t samples = shapeOf(x)[0], positions = shapeOf(x)[2],
          half = rotated / 2;
  // [samples, 1, positions, half]
  auto angles = [&](size_t index) {
    Value table = node.frozen(index);
    if (rankOf(table) < 2 || shapeOf(table).back() < half)
      badInput("a table of shape {} has fewer than {} angles",
               text(shapeOf(table)), half);
    table = build.slice(table, rankOf(table) - 1, 0, half);
    if (node.hasInput(3)) {
      Value ids = node.input(3);
      node.limitIntegers(3, shapeOf(table)[0]);
      Sizes vectors(shapeOf(ids)), shape(shapeOf(ids));
      vectors.push_back(1);
      shape.push_back(half);
      auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
          build.ops().getContext(), {rankOf(ids)}, {0}, {}, {}, {0},
          rankOf(ids));
      table = build.make<stablehlo::GatherOp>(
          build.tensorType(shape, elementOf(table)), table,
          build.reshape(ids, vectors), numbers, Sizes{1, half}, false);
    }
    return build.broadcast(build.reshape(table, {samples, 1, positions, half}),
                           {samples, shapeOf(x)[1], positions, half});
  };
  Value cosine = angles(1), sine = angles(2);
  Value turned = build.slice(x, 3, 0, rotated), first, second;
  bool isInterleaved = node.flag("interleaved", false);
  Sizes heads{samples, shapeOf(x)[1], positions, half};
  Sizes pairs{samples, shapeOf(x)[1], positions, half, 2};
  if (isInterleaved) {
    Value split = build.reshape(turned, pairs);
    first = build.reshape(build.slice(split, 4, 0, 1), heads);
    second = build.reshape(build.slice(split, 4, 1, 2), heads);
  } else {
    first = build.slice(turned, 3, 0, half);
    second = build.slice(turned, 3, half, rotated);
  }
  Value real = build.subtract(build.multiply(first, cosine),
                              build.multiply(second, sine));
  Value imaginary =
      build.add(build.multiply(first, sine), build.multiply(second, cosine));
  Value joined;
  if (isInterleaved) {
    Sizes single(heads);
    single.push_back(1);
    joined = build.reshape(
        build.concatenate(
            {build.reshape(real, single), build.reshape(imaginary, single)}, 4),
        shapeOf(turned));
  } else {
    joined = build.concatenate({real, imaginary}, 3);
  }
  if (rotated < channels)
    joined =
        build.concatenate({joined, build.slice(x, 3, rotated, channels)}, 3);
  node.result(isFlat ? fromHeads(build, joined) : joined);
}

} // namespace

void registerAttention(Registry &registry) {
  registry.add("Attention", attention);
  registry.add("RotaryEmbedding", rotaryEmbedding);
}

} // namespace shardsmith::onnx
