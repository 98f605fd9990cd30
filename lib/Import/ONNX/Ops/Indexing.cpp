// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes at computed positions. Positions below zero count from the
// end.

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

Sizes countTo(int64_t from, int64_t to) {
  return llvm::to_vector(llvm::seq<int64_t>(from, std::max(from, to)));
}

/// Positions along a dimension of `size`, none below zero.
Value fromStart(Builder &build, Value positions, int64_t size) {
  if (elementOf(positions).isUnsignedInteger())
    return positions;
  Value moved = build.add(positions, static_cast<double>(size));
  return build.select(build.compare(positions, Direction::LT, 0.0), moved,
                      positions);
}

void requireIntegers(Value positions) {
  if (isFloat(positions) || isBoolean(positions))
    badInput("its positions are no integers");
}

/// The one position that is read, if it is known.
std::optional<int64_t> singlePosition(Node &node, Value positions) {
  if (countOf(positions) != 1 || rankOf(positions) > 1)
    return std::nullopt;
  try {
    return node.known(1).asInteger(0);
  } catch (const Failure &) {
    return std::nullopt;
  }
}

void gather(Node &node) {
  Builder &build = node.build;
  Value data = node.input(0), positions = node.input(1);
  requireIntegers(positions);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(data));
  int64_t size = shapeOf(data)[axis], rank = rankOf(positions);
  Sizes shape(shapeOf(data).take_front(axis));
  shape.append(shapeOf(positions).begin(), shapeOf(positions).end());
  shape.append(shapeOf(data).begin() + axis + 1, shapeOf(data).end());
  if (std::optional<int64_t> one = singlePosition(node, positions)) {
    if (*one < -size || *one >= size)
      badInput("it reads position {} of a dimension of {}", *one, size);
    int64_t start = *one < 0 ? *one + size : *one;
    node.result(
        build.reshape(build.slice(data, axis, start, start + 1), shape));
    return;
  }
  node.limitIntegers(1, size);
  Sizes vectors(shapeOf(positions));
  vectors.push_back(1);
  Value starts = build.reshape(fromStart(build, positions, size), vectors);
  Sizes sizes(shapeOf(data)), offsets = countTo(0, axis);
  offsets.append(countTo(axis + rank, static_cast<int64_t>(shape.size())));
  sizes[axis] = 1;
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      build.ops().getContext(), offsets, {axis}, {}, {}, {axis}, rank);
  node.result(build.make<stablehlo::GatherOp>(
      build.tensorType(shape, elementOf(data)), data, starts, numbers, sizes,
      /*indices_are_sorted=*/false));
}

/// Coordinates of every element of a tensor like `positions` in its operand:
/// its own, but `positions` along `axis`. Shape […, rank].
Value coordinates(Builder &build, Value positions, int64_t axis) {
  Sizes vectors(shapeOf(positions));
  vectors.push_back(1);
  llvm::SmallVector<Value> parts;
  for (int64_t i = 0; i < rankOf(positions); ++i)
    parts.push_back(build.reshape(
        i == axis ? positions
                  : build.iota(shapeOf(positions), elementOf(positions), i),
        vectors));
  return build.concatenate(parts, rankOf(positions));
}

void requireSameRank(Value data, Value positions, int64_t axis) {
  bool fits = rankOf(data) == rankOf(positions) && rankOf(data) > 0;
  for (int64_t i = 0; fits && i < rankOf(data); ++i)
    fits = i == axis || shapeOf(positions)[i] <= shapeOf(data)[i];
  if (!fits)
    badInput("positions of shape {} do not fit a tensor of shape {}",
             text(shapeOf(positions)), text(shapeOf(data)));
}

void gatherElements(Node &node) {
  Builder &build = node.build;
  Value data = node.input(0), positions = node.input(1);
  requireIntegers(positions);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(data));
  requireSameRank(data, positions, axis);
  node.limitIntegers(1, shapeOf(data)[axis]);
  Value starts = coordinates(
      build, fromStart(build, positions, shapeOf(data)[axis]), axis);
  Sizes all = countTo(0, rankOf(data));
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      build.ops().getContext(), {}, all, {}, {}, all, rankOf(data));
  node.result(build.make<stablehlo::GatherOp>(
      build.tensorType(shapeOf(positions), elementOf(data)), data, starts,
      numbers, Sizes(rankOf(data), 1), /*indices_are_sorted=*/false));
}

/// Each component of position vectors along dimensions `first`, `first` + 1 …
Value vectorsFromStart(Builder &build, Value vectors, Value data,
                       int64_t first) {
  int64_t last = rankOf(vectors) - 1, count = shapeOf(vectors)[last];
  llvm::SmallVector<Value> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(fromStart(build, build.slice(vectors, last, i, i + 1),
                              shapeOf(data)[first + i]));
  return build.concatenate(parts, last);
}

void gatherND(Node &node) {
  Builder &build = node.build;
  Value data = node.input(0), positions = node.input(1);
  requireIntegers(positions);
  int64_t batch = node.integer("batch_dims", 0);
  if (rankOf(positions) < 1 || batch < 0 || batch >= rankOf(positions) ||
      batch >= rankOf(data) || shapeOf(positions).back() < 1 ||
      shapeOf(positions).back() > rankOf(data) - batch ||
      shapeOf(positions).take_front(batch) != shapeOf(data).take_front(batch))
    badInput("positions of shape {} do not fit a tensor of shape {}",
             text(shapeOf(positions)), text(shapeOf(data)));
  int64_t last = rankOf(positions) - 1;
  int64_t indexed = batch + shapeOf(positions).back();
  Value starts = vectorsFromStart(build, positions, data, batch);
  llvm::SmallVector<Value> parts;
  Sizes single(shapeOf(positions));
  single[last] = 1;
  for (int64_t i = 0; i < batch; ++i)
    parts.push_back(build.iota(single, elementOf(positions), i));
  parts.push_back(starts);
  Sizes shape(shapeOf(positions).drop_back());
  shape.append(shapeOf(data).begin() + indexed, shapeOf(data).end());
  Sizes sizes(indexed, 1), all = countTo(0, indexed);
  sizes.append(shapeOf(data).begin() + indexed, shapeOf(data).end());
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      build.ops().getContext(),
      countTo(last, static_cast<int64_t>(shape.size())), all, {}, {}, all,
      last);
  node.result(build.make<stablehlo::GatherOp>(
      build.tensorType(shape, elementOf(data)), data,
      build.concatenate(parts, last), numbers, sizes,
      /*indices_are_sorted=*/false));
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Combines elements with updates as the attribute `reduction` says.
Value scatter(Node &node, Value data, Value starts, Value updates,
              stablehlo::ScatterDimensionNumbersAttr numbers) {
  auto &ops = node.build.ops();
  if (elementOf(updates) != elementOf(data))
    badInput("its updates have elements of another type than its data");
  auto op = stablehlo::ScatterOp::create(
      ops, mlir::TypeRange{data.getType()}, mlir::ValueRange{data}, starts,
      mlir::ValueRange{updates}, numbers,
      /*indices_are_sorted=*/ops.getBoolAttr(false),
      /*unique_indices=*/ops.getBoolAttr(false));
  mlir::Region &body = op.getUpdateComputation();
  Type element = elementOf(data);
  std::string reduction = node.text("reduction", "none");
  if (reduction == "add") {
    buildScalarBody<stablehlo::AddOp>(ops, body, element);
  } else if (reduction == "mul") {
    buildScalarBody<stablehlo::MulOp>(ops, body, element);
  } else if (reduction == "max") {
    buildScalarBody<stablehlo::MaxOp>(ops, body, element);
  } else if (reduction == "min") {
    buildScalarBody<stablehlo::MinOp>(ops, body, element);
  } else if (reduction == "none") {
    mlir::OpBuilder::InsertionGuard guard(ops);
    auto type = RankedTensorType::get({}, element);
    mlir::Block *block = ops.createBlock(&body, body.end(), {type, type},
                                         {ops.getLoc(), ops.getLoc()});
    stablehlo::ReturnOp::create(ops, mlir::ValueRange{block->getArgument(1)});
  } else {
    badInput("its reduction is '{}', not none, add, mul, max or min",
             reduction);
  }
  node.build.verify(op);
  return op->getResult(0);
}

void scatterElements(Node &node) {
  Builder &build = node.build;
  Value data = node.input(0), positions = node.input(1),
        updates = node.input(2);
  requireIntegers(positions);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(data));
  requireSameRank(data, positions, axis);
  if (shapeOf(updates) != shapeOf(positions))
    badInput("updates of shape {} do not fit positions of shape {}",
             text(shapeOf(updates)), text(shapeOf(positions)));
  node.limitIntegers(1, shapeOf(data)[axis]);
  Value starts = coordinates(
      build, fromStart(build, positions, shapeOf(data)[axis]), axis);
  Sizes all = countTo(0, rankOf(data));
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      build.ops().getContext(), {}, all, {}, {}, all, rankOf(data));
  node.result(scatter(node, data, starts, updates, numbers));
}

void scatterND(Node &node) {
  Builder &build = node.build;
  Value data = node.input(0), positions = node.input(1),
        updates = node.input(2);
  requireIntegers(positions);
  if (rankOf(positions) < 1 || shapeOf(positions).back() < 1 ||
      shapeOf(positions).back() > rankOf(data))
    badInput("positions of shape {} do not fit a tensor of shape {}",
             text(shapeOf(positions)), text(shapeOf(data)));
  int64_t indexed = shapeOf(positions).back(), last = rankOf(positions) - 1;
  Sizes wanted(shapeOf(positions).drop_back());
  wanted.append(shapeOf(data).begin() + indexed, shapeOf(data).end());
  if (shapeOf(updates) != SizesRef(wanted))
    badInput("updates of shape {} do not fit, they should be {}",
             text(shapeOf(updates)), text(wanted));
  Value starts = vectorsFromStart(build, positions, data, 0);
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      build.ops().getContext(), countTo(last, rankOf(updates)),
      countTo(0, indexed), {}, {}, countTo(0, indexed), last);
  node.result(scatter(node, data, starts, updates, numbers));
}

void oneHot(Node &node) {
  Builder &build = node.build;
  Value positions = node.input(0), values = node.input(2);
  auto depth = static_cast<int64_t>(node.knownNumber(1));
  if (depth < 0 || depth > (int64_t(1) << 32) || countOf(values) != 2)
    badInput("its depth is {} and it has {} values; it takes a depth and two "
             "values",
             depth, countOf(values));
  int64_t rank = rankOf(positions) + 1;
  int64_t axis = node.axis(node.integer("axis", -1), rank);
  Sizes shape(shapeOf(positions)), kept;
  shape.insert(shape.begin() + axis, depth);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      kept.push_back(i);
  Value starts =
      build.broadcastInDim(fromStart(build, positions, depth), shape, kept);
  Value isHot = build.compare(starts, Direction::EQ,
                              build.iota(shape, elementOf(positions), axis));
  Value off = build.reshape(build.slice(values, 0, 0, 1), {});
  Value on = build.reshape(build.slice(values, 0, 1, 2), {});
  node.result(build.select(isHot, on, off));
}

} // namespace

void registerIndexing(Registry &registry) {
  registry.add("Gather", gather);
  registry.add("GatherElements", gatherElements);
  registry.add("GatherND", gatherND);
  registry.add("OneHot", oneHot);
  registry.add("ScatterElements", scatterElements);
  registry.add("ScatterND", scatterND);
}

} // namespace shardsmith::onnx
