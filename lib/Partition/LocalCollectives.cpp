// SPDX-License-Identifier: Apache-2.0
//
// A collective of the global program may work on several dimensions; the local
// ones work on one, and are emitted in the order of the dimensions. Sizes that
// do not divide are padded before a tensor is split and cropped after it is
// joined:
//
//   5 elements over 2 devices     gather:   3 + 3 -> 6, cropped to 5
//                                 scatter:  5 padded to 6 -> 3

#include "LocalCollectives.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Sharding/Reshard.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith {
namespace {

class Localizer {
public:
  Localizer(ImplicitLocOpBuilder &builder, const NamedMesh &mesh,
            ShardIndices &indices, RankedTensorType globalType, Layout before,
            Layout after)
      : builder(builder), mesh(mesh.mesh), indices(indices),
        globalShape(globalType.getShape()), current(std::move(before)),
        after(std::move(after)) {}

  Value localize(sdy::AllGatherOp op, Value value) {
    return gather(toAxisLists(op.getGatheringAxes()), value);
  }

  Value localize(sdy::AllSliceOp op, Value value) {
    return stablehlo::createShardSlice(builder, mesh, indices, value,
                                       toAxisLists(op.getSlicingAxes()));
  }

  Value localize(sdy::AllToAllOp op, Value value) {
    for (sdy::AllToAllParamAttr param : op.getParams().getValue()) {
      AxisList axes = toAxisList(param.getAxes());
      unsigned source = param.getSrcDim(), target = param.getTgtDim();
      current.dims[source].pop_back_n(axes.size());
      llvm::append_range(current.dims[target], axes);
      SmallVector<int64_t> local = getLocalShape(mesh, globalShape, current);
      int64_t count = mesh.countShards(axes);
      value = padDim(value, target, local[target] * count);
      value = smith::AllToAllOp::create(
          builder,
          resized(value, {{target, local[target]},
                          {source, sizeOf(value, source) * count}}),
          value, names(axes), target, source);
      value = stablehlo::cropTo(builder, value, local);
    }
    return value;
  }

  Value localize(sdy::CollectivePermuteOp op, Value value) {
    AxisList axes = getPermuteAxes(mesh, current, after);
    if (axes.empty())
      return value;
    SmallVector<int64_t> pairs;
    for (auto [source, target] : getPermutePairs(mesh, current, after))
      pairs.append({source, target});
    return smith::CollectivePermuteOp::create(builder, value, pairs,
                                              names(axes));
  }

  Value localize(sdy::AllReduceOp op, Value value) {
    return smith::AllReduceOp::create(
        builder, value, names(toAxisList(op.getReductionAxes().getValue())),
        kind(op.getReductionKind()));
  }

  Value localize(sdy::ReduceScatterOp op, Value value) {
    for (auto [dim, axes] :
         llvm::enumerate(toAxisLists(op.getReduceScatterAxes()))) {
      if (axes.empty())
        continue;
      llvm::append_range(current.dims[dim], axes);
      int64_t size = getLocalShape(mesh, globalShape, current)[dim];
      value = padDim(value, dim, size * mesh.countShards(axes));
      value = smith::ReduceScatterOp::create(
          builder, resized(value, {{dim, size}}), value, names(axes), dim,
          kind(op.getReductionKind()));
    }
    return value;
  }

  /// The device's part in its place, zero elsewhere.
  Value localize(sdy::ShardedToUnreducedOp op, Value value) {
    SmallVector<AxisList> lists = toAxisLists(op.getAxes());
    SmallVector<int64_t> padded;
    SmallVector<Value> starts;
    Type element = builder.getI64Type();
    for (auto [dim, axes] : llvm::enumerate(lists)) {
      int64_t size = sizeOf(value, dim);
      padded.push_back(size * mesh.countShards(axes));
      starts.push_back(stablehlo::createShardOffset(builder, indices.get(axes),
                                                    size, element));
    }
    auto type = cast<RankedTensorType>(value.getType()).clone(padded);
    Value zeros = stablehlo::createNeutral(builder, type, after.partialKind);
    Value whole = stablehlo::DynamicUpdateSliceOp::create(builder, type, zeros,
                                                          value, starts);
    return stablehlo::cropTo(builder, whole,
                             getLocalShape(mesh, globalShape, after));
  }

  Value localize(sdy::ReplicatedToUnreducedOp op, Value value) {
    return stablehlo::keepOnFirstShard(
        builder, value, indices.get(toAxisList(op.getAxes().getValue())),
        after.partialKind);
  }

private:
  Value gather(ArrayRef<AxisList> lists, Value value) {
    for (auto [dim, axes] : llvm::enumerate(lists)) {
      if (axes.empty())
        continue;
      current.dims[dim].pop_back_n(axes.size());
      value = smith::AllGatherOp::create(
          builder,
          resized(value, {{dim, sizeOf(value, dim) * mesh.countShards(axes)}}),
          value, names(axes), dim);
      value = stablehlo::cropTo(builder, value,
                                getLocalShape(mesh, globalShape, current));
    }
    return value;
  }

  static int64_t sizeOf(Value value, unsigned dim) {
    return cast<RankedTensorType>(value.getType()).getDimSize(dim);
  }

  static RankedTensorType resized(Value value,
                                  ArrayRef<std::pair<size_t, int64_t>> sizes) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : sizes)
      shape[dim] = size;
    return type.clone(shape);
  }

  Value padDim(Value value, unsigned dim, int64_t size) {
    return stablehlo::padTo(builder, value,
                            resized(value, {{dim, size}}).getShape());
  }

  AxisList toAxisList(ArrayRef<sdy::AxisRefAttr> refs) const {
    AxisList axes;
    for (sdy::AxisRefAttr ref : refs)
      axes.push_back(*mesh.find(ref.getName()));
    return axes;
  }

  SmallVector<AxisList> toAxisLists(sdy::ListOfAxisRefListsAttr lists) const {
    return llvm::map_to_vector(
        lists.getValue(),
        [&](sdy::AxisRefListAttr list) { return toAxisList(list.getValue()); });
  }

  ArrayAttr names(ArrayRef<MeshAxis> axes) {
    return toAxisNames(builder.getContext(), mesh, axes);
  }

  sdy::ReductionKindAttr kind(ReductionKind kind) {
    return sdy::ReductionKindAttr::get(builder.getContext(), kind);
  }

  ImplicitLocOpBuilder &builder;
  const Mesh &mesh;
  ShardIndices &indices;
  ArrayRef<int64_t> globalShape;
  /// The layout of the value as it is built.
  Layout current;
  Layout after;
};

/// A collective that adds or removes axes of a dimension keeps shards in place
/// only if the smaller ones are parts of the larger ones.
LogicalResult verifyNested(Operation *op, const Mesh &mesh,
                           ArrayRef<int64_t> shape, const Layout &before,
                           const Layout &after) {
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t a = mesh.countShards(before.dims[dim]);
    int64_t b = mesh.countShards(after.dims[dim]);
    if (!isNestedSplit(size, std::min(a, b), std::max(a, b)))
      return op->emitOpError("changes dimension ")
             << dim << " of size " << size << " between " << a << " and " << b
             << " shards, of which the small ones are no parts of the large "
                "ones; gather the dimension whole first";
  }
  return success();
}

} // namespace

bool isGlobalCollective(Operation *op) {
  return isa<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp,
             sdy::AllToAllOp, sdy::CollectivePermuteOp, sdy::ReduceScatterOp,
             sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(op);
}

Value localizeCollective(ImplicitLocOpBuilder &builder, Operation *op,
                         const NamedMesh &mesh, ShardIndices &indices,
                         Value local) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // Both shardings are checked for parts of axes here; the collective's own
  // axes are differences of the two.
  FailureOr<Layout> before =
      toLayout(sdy::getSharding(op->getOperand(0)), type.getRank(), mesh, op);
  FailureOr<Layout> after =
      toLayout(sdy::getSharding(op->getResult(0)), type.getRank(), mesh, op);
  if (failed(before) || failed(after) ||
      failed(verifyNested(op, mesh.mesh, type.getShape(), *before, *after)))
    return nullptr;
  Localizer localizer(builder, mesh, indices, type, *before, *after);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp,
            sdy::AllToAllOp, sdy::CollectivePermuteOp, sdy::ReduceScatterOp,
            sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(
          [&](auto collective) {
            return localizer.localize(collective, local);
          });
}

} // namespace shardsmith
