// SPDX-License-Identifier: Apache-2.0

#include "Body.h"
#include "../Unsupported.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shardsmith::manual {

Axes join(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  Axes result(a.begin(), a.end());
  llvm::append_range(result, b);
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

Axes without(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  Axes result;
  for (unsigned axis : a)
    if (!llvm::is_contained(b, axis))
      result.push_back(axis);
  return result;
}

Sizes led(int64_t filling, size_t count, ArrayRef<int64_t> list) {
  Sizes result(count, filling);
  llvm::append_range(result, list);
  return result;
}

Sizes raised(ArrayRef<int64_t> dims, size_t count) {
  return llvm::map_to_vector(dims,
                             [&](int64_t dim) { return dim + int64_t(count); });
}

Sizes shifted(ArrayRef<int64_t> dims, size_t count) {
  Sizes result = llvm::to_vector(llvm::seq<int64_t>(count));
  llvm::append_range(result, raised(dims, count));
  return result;
}

Body::Body(sdy::ManualComputationOp op, sdy::MeshAttr mesh,
           ErrorList &unsupported)
    : builder(op.getLoc(), op), mesh(mesh), unsupported(unsupported) {
  for (auto [position, axis] : llvm::enumerate(mesh.getAxes()))
    for (StringAttr name : op.getManualAxes().getValue())
      if (name == axis.getName())
        all.push_back(position);
}

Sizes Body::sizesOf(ArrayRef<unsigned> axes) const {
  return llvm::map_to_vector(axes, [&](unsigned axis) { return sizeOf(axis); });
}

std::optional<unsigned> Body::findManual(StringRef name) const {
  for (unsigned axis : all)
    if (nameOf(axis) == name)
      return axis;
  return std::nullopt;
}

RankedTensorType Body::typeOf(Value local, ArrayRef<unsigned> axes) const {
  auto type = cast<RankedTensorType>(local.getType());
  Sizes shape = sizesOf(axes);
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

Value Body::get(Value local, ArrayRef<unsigned> axes) {
  const Everywhere &known = get(local);
  if (ArrayRef<unsigned>(known.axes) == axes)
    return known.value;
  Sizes dims;
  for (unsigned axis : known.axes)
    dims.push_back(llvm::find(axes, axis) - axes.begin());
  int64_t rank = cast<RankedTensorType>(local.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(int64_t(axes.size()) + dim);
  return stablehlo::BroadcastInDimOp::create(builder, typeOf(local, axes),
                                             known.value, dims);
}

Axes Body::axesOf(ValueRange locals) const {
  Axes axes;
  for (Value local : locals)
    axes = join(axes, get(local).axes);
  return axes;
}

Operation *Body::rebuild(Operation *op, ValueRange operands,
                         ArrayRef<unsigned> axes) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  IRMapping mapping;
  for (Value local : captured)
    mapping.map(local, get(local).value);
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(operands);
  copy->removeAttr(sdy::kShardingAttributeName);
  for (auto [local, result] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    result.setType(typeOf(local, axes));
    set(local, {result, Axes(axes)});
  }
  return copy;
}

Value Body::reshape(Value value, ArrayRef<int64_t> shape) {
  if (cast<RankedTensorType>(value.getType()).getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(builder, value, shape);
}

Value Body::transpose(Value value, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  return stablehlo::TransposeOp::create(builder, value, order);
}

void Body::takeFirst(Value local, ArrayRef<unsigned> same) {
  if (same.empty())
    return;
  Everywhere known = get(local);
  auto type = cast<RankedTensorType>(known.value.getType());
  Sizes starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  for (auto [position, axis] : llvm::enumerate(known.axes))
    if (llvm::is_contained(same, axis))
      limits[position] = 1;
  Value first = stablehlo::SliceOp::create(
      builder, type.clone(limits), known.value, starts, limits, strides);
  known.axes = without(known.axes, same);
  known.value = reshape(first, typeOf(local, known.axes).getShape());
  set(local, known);
}

Axes Body::manualAxesOf(sdy::DimensionShardingAttr dim) const {
  Axes axes;
  for (sdy::AxisRefAttr ref : dim.getAxes())
    if (std::optional<unsigned> axis = findManual(ref.getName()))
      axes.push_back(*axis);
  return axes;
}

/// A dimension of 2·3·4 over x and y becomes three, of which the first two
/// lead. The leading ones stay on their axes.
Everywhere Body::split(Value whole, sdy::TensorShardingAttr sharding,
                       RankedTensorType local) {
  Sizes shape, rest;
  SmallVector<std::pair<unsigned, int64_t>> leading;
  for (auto [size, dim] :
       llvm::zip_equal(local.getShape(), sharding.getDimShardings())) {
    for (unsigned axis : manualAxesOf(dim)) {
      leading.emplace_back(axis, shape.size());
      shape.push_back(sizeOf(axis));
    }
    rest.push_back(shape.size());
    shape.push_back(size);
  }
  if (leading.empty())
    return {whole, {}};
  llvm::sort(leading);
  Everywhere result;
  Sizes order;
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (auto [axis, position] : leading) {
    result.axes.push_back(axis);
    order.push_back(position);
    dims.push_back(
        sdy::DimensionShardingAttr::get(builder.getContext(), {nameOf(axis)}));
  }
  llvm::append_range(order, rest);
  dims.append(rest.size(),
              sdy::DimensionShardingAttr::get(
                  builder.getContext(), ArrayRef<sdy::AxisRefAttr>(), false));
  Value value = transpose(reshape(whole, shape), order);
  result.value = sdy::ShardingConstraintOp::create(
      builder, value,
      sdy::TensorShardingAttr::get(builder.getContext(),
                                   sharding.getMeshOrRef(), dims, {}, {},
                                   ReductionKind::Sum));
  return result;
}

Value Body::merge(Value local, sdy::TensorShardingAttr sharding,
                  RankedTensorType whole) {
  Axes used;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    used = join(used, manualAxesOf(dim));
  // Over other axes all devices have the same.
  takeFirst(local, without(get(local).axes, used));
  if (used.empty())
    return get(local).value;
  Value value = get(local, used);
  Sizes order;
  for (auto [position, dim] : llvm::enumerate(sharding.getDimShardings())) {
    for (unsigned axis : manualAxesOf(dim))
      order.push_back(llvm::find(used, axis) - used.begin());
    order.push_back(used.size() + position);
  }
  return sdy::ShardingConstraintOp::create(
      builder, reshape(transpose(value, order), whole.getShape()), sharding);
}

LogicalResult Body::refuse(Operation *op, StringRef why) {
  refused = true;
  unsupported.add(op->getLoc(), ("unsupported in a manual computation: '" +
                                 op->getName().getStringRef() + "' " + why)
                                    .str());
  return failure();
}

LogicalResult Body::standIn(Operation *op) {
  for (Value local : op->getResults()) {
    DenseElementsAttr zeros = zerosOf(local.getType());
    if (!zeros)
      return failure();
    set(local, {stablehlo::ConstantOp::create(builder, zeros), {}});
  }
  return success();
}

} // namespace shardsmith::manual
