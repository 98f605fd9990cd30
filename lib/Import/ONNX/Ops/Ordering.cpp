// SPDX-License-Identifier: Apache-2.0
//
// Largest elements, their positions, and running sums.

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

/// The position of the first, or last, extreme element of a dimension: among
/// positions that hold it, the least, or greatest.
template <typename Op> void argument(Node &node) {
  constexpr bool isMax = std::is_same_v<Op, stablehlo::MaxOp>;
  Builder &build = node.build;
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(x));
  bool keep = node.flag("keepdims", true);
  Value limit =
      isMax ? build.least(elementOf(x)) : build.greatest(elementOf(x));
  Value extreme = build.reduce<Op>(x, {axis}, limit, true);
  Value positions = build.iota(shapeOf(x), build.i64(), axis);
  Value isExtreme = build.compare(x, Direction::EQ, extreme);
  auto size = static_cast<double>(shapeOf(x)[axis]);
  if (node.flag("select_last_index", false)) {
    Value candidates =
        build.select(isExtreme, positions, build.like(positions, -1.0));
    node.result(build.reduce<stablehlo::MaxOp>(candidates, {axis}, -1.0, keep));
  } else {
    Value candidates =
        build.select(isExtreme, positions, build.like(positions, size));
    node.result(build.reduce<stablehlo::MinOp>(candidates, {axis}, size, keep));
  }
}

void topK(Node &node) {
  Builder &build = node.build;
  auto &ops = build.ops();
  Value x = node.input(0);
  auto k = static_cast<int64_t>(node.knownNumber(1));
  int64_t rank = rankOf(x), axis = node.axis(node.integer("axis", -1), rank);
  if (k < 0 || k > shapeOf(x)[axis])
    badInput("it wants {} of {} elements", k, shapeOf(x)[axis]);
  bool isSmallest = !node.flag("largest", true);
  if (isSmallest && !isFloat(x) && elementOf(x).isUnsignedInteger())
    unsupported("smallest elements of unsigned integers");
  Sizes toLast = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(toLast[axis], toLast.back());
  Value rows = build.transpose(isSmallest ? build.negate(x) : x, toLast);
  Sizes shape(shapeOf(rows));
  shape.back() = k;
  auto op = chlo::TopKOp::create(
      ops,
      mlir::TypeRange{build.tensorType(shape, elementOf(x)),
                      build.tensorType(shape, ops.getI32Type())},
      rows, static_cast<uint64_t>(k));
  build.verify(op);
  Value values = build.transpose(op.getValues(), toLast);
  node.result(0, isSmallest ? build.negate(values) : values);
  node.result(
      1, build.transpose(build.convert(op.getIndices(), build.i64()), toLast));
}

/// Sums, or products, of all elements up to each one: windows that reach from
/// the first element to it.
template <typename Op> void cumulative(Node &node) {
  Builder &build = node.build;
  auto &ops = build.ops();
  Value x = node.input(0);
  int64_t rank = rankOf(x);
  int64_t axis = node.axis(static_cast<int64_t>(node.knownNumber(1)), rank);
  int64_t size = shapeOf(x)[axis];
  if (size == 0) {
    node.result(x);
    return;
  }
  bool isReversed = node.flag("reverse", false);
  double neutral = std::is_same_v<Op, stablehlo::MulOp> ? 1.0 : 0.0;
  Sizes low(rank, 0), high(rank, 0), window(rank, 1), ones(rank, 1);
  if (node.flag("exclusive", false)) {
    (isReversed ? high : low)[axis] = 1;
    x = build.pad(x, build.scalar(elementOf(x), neutral), low, high);
    x = isReversed ? build.slice(x, axis, 1, size + 1)
                   : build.slice(x, axis, 0, size);
    (isReversed ? high : low)[axis] = 0;
  }
  (isReversed ? high : low)[axis] = size - 1;
  window[axis] = size;
  Sizes padding;
  for (int64_t i = 0; i < rank; ++i)
    padding.append({low[i], high[i]});
  auto op = stablehlo::ReduceWindowOp::create(
      ops, mlir::TypeRange{x.getType()}, mlir::ValueRange{x},
      mlir::ValueRange{build.scalar(elementOf(x), neutral)},
      ops.getDenseI64ArrayAttr(window), ops.getDenseI64ArrayAttr(ones),
      mlir::DenseI64ArrayAttr(), mlir::DenseI64ArrayAttr(),
      mlir::DenseIntElementsAttr::get(
          RankedTensorType::get({rank, 2}, build.i64()), padding));
  buildScalarBody<Op>(ops, op.getBody(), elementOf(x));
  build.verify(op);
  node.result(op->getResult(0));
}

} // namespace

void registerOrdering(Registry &registry) {
  registry.add("ArgMax", argument<stablehlo::MaxOp>);
  registry.add("ArgMin", argument<stablehlo::MinOp>);
  registry.add("CumProd", cumulative<stablehlo::MulOp>);
  registry.add("CumSum", cumulative<stablehlo::AddOp>);
  registry.add("TopK", topK);
}

} // namespace shardsmith::onnx
