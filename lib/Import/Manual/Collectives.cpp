// SPDX-License-Identifier: Apache-2.0
//
// Replica groups list devices or name axes; the axes over which the devices of
// a group differ are found first. Over these, with leading dimensions in front:
//
//   all_reduce       reduces the leading dimensions
//   all_gather       moves them before the gathered dimension
//   reduce_scatter   reduces, then a part of the dimension leads
//   all_to_all       moves them before one dimension, a part of another leads
//   permute          puts them in another order, zeros where nothing comes
//   broadcast        takes the first of each
//   partition_id     counts devices

#include "Body.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Support/StableSort.h"

#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

using Groups = std::set<std::vector<int64_t>>;

/// The groups of devices that differ over these axes alone, members in the
/// order of the mesh.
Groups groupsOver(const Mesh &mesh, ArrayRef<unsigned> axes) {
  Axes others = without(llvm::to_vector(llvm::seq(mesh.getAxisCount())), axes);
  std::vector<std::vector<int64_t>> groups(mesh.countShards(others));
  for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
    groups[mesh.getShardIndex(device, others)].push_back(device);
  return Groups(groups.begin(), groups.end());
}

/// Every choice of manual axes that have several devices, few axes first.
SmallVector<Axes> choicesOfAxes(const Body &body, const Mesh &mesh) {
  SmallVector<Axes> choices{Axes()};
  for (unsigned axis = 0; axis < mesh.getAxisCount(); ++axis) {
    if (mesh.getSize(axis) <= 1 || !body.isManual(axis))
      continue;
    for (size_t i = 0, count = choices.size(); i < count; ++i) {
      Axes more = choices[i];
      more.push_back(axis);
      choices.push_back(more);
    }
  }
  stableSortBy(choices, [](const Axes &axes) { return axes.size(); });
  return choices;
}

/// Members of a group along axes in another order than that of the mesh would
/// be in another order as well.
FailureOr<Axes> axesOfGroups(Body &body, Operation *op,
                             ReplicaGroupMeshAxesAttr groups) {
  auto mesh =
      SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, groups.getMesh());
  if (!mesh || mesh.getMesh() != body.getMesh())
    return body.refuse(op, "between groups of another mesh");
  Axes axes;
  for (AxisRefAttr ref : groups.getAxes()) {
    std::optional<unsigned> axis = body.findManual(ref.getName());
    if (!axis)
      return body.refuse(op,
                         "between groups that are not those of manual axes");
    axes.push_back(*axis);
  }
  if (!llvm::is_sorted(axes))
    return body.refuse(op, "along axes in another order than that of the mesh");
  return axes;
}

FailureOr<Axes> axesOfGroups(Body &body, Operation *op,
                             DenseIntElementsAttr attribute) {
  int64_t width = attribute.getType().getDimSize(1);
  Groups groups;
  SmallVector<int64_t> ids = llvm::to_vector(attribute.getValues<int64_t>());
  for (size_t begin = 0; begin < ids.size(); begin += width)
    groups.insert({ids.begin() + begin, ids.begin() + begin + width});
  const Mesh mesh = toMesh(body.getMesh());
  for (const Axes &axes : choicesOfAxes(body, mesh))
    if (groupsOver(mesh, axes) == groups)
      return axes;
  return body.refuse(op, "between groups that are not those of manual axes");
}

/// Positions of `part` within `axes`.
Sizes positionsOf(ArrayRef<unsigned> part, ArrayRef<unsigned> axes) {
  return llvm::map_to_vector(part, [&](unsigned axis) -> int64_t {
    return llvm::find(axes, axis) - axes.begin();
  });
}

/// A collective waits for all devices of its groups, `over` which they differ.
/// In a derivative, a cotangent that is the same over an axis is already what
/// its devices know of it together; a program that does not tell JAX over which
/// axes values differ (`check_vma=False`) adds it up once more.
LogicalResult checkGroups(Body &body, Operation *op, ArrayRef<unsigned> over) {
  Axes differing = body.axesOf(op->getOperands());
  for (unsigned axis : over) {
    if (llvm::is_contained(body.branching, axis))
      return body.refuse(op,
                         "in a branch that not all devices of a group take");
    if (body.isInDerivative && !llvm::is_contained(differing, axis))
      return body.refuse(op,
                         "in the derivative of a function, of a value that is "
                         "the same on all devices of a group");
  }
  return success();
}

/// What the devices of a group combine to; null with a diagnostic if the
/// region is no known reduction.
Everywhere reduceOver(Body &body, Operation *op, Value local, const Axes &over,
                      Region &combiner) {
  std::optional<ReductionKind> kind = matchReduction(combiner);
  if (!kind) {
    (void)body.refuse(op, "with a body that is no plain reduction");
    return {};
  }
  Axes axes = join(body.get(local).axes, over);
  Value value = body.get(local, axes);
  Type element = cast<RankedTensorType>(local.getType()).getElementType();
  Value neutral =
      createNeutral(body.builder, RankedTensorType::get({}, element), *kind);
  auto reduce =
      ReduceOp::create(body.builder, value, neutral, positionsOf(over, axes));
  IRMapping mapping;
  combiner.cloneInto(&reduce.getBody(), mapping);
  return {reduce.getResult(0), without(axes, over)};
}

LogicalResult expandAllReduce(Body &body, AllReduceOp op, const Axes &over) {
  for (auto [local, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    Everywhere reduced = reduceOver(body, op, local, over, op.getComputation());
    if (!reduced.value)
      return failure();
    body.set(result, reduced);
  }
  return success();
}

LogicalResult expandAllGather(Body &body, AllGatherOp op, const Axes &over) {
  int64_t dim = op.getAllGatherDim();
  for (auto [local, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    Axes axes = join(body.get(local).axes, over), rest = without(axes, over);
    Sizes order = positionsOf(rest, axes);
    int64_t rank = cast<RankedTensorType>(local.getType()).getRank();
    for (int64_t position = 0; position < rank; ++position) {
      if (position == dim)
        llvm::append_range(order, positionsOf(over, axes));
      order.push_back(int64_t(axes.size()) + position);
    }
    Value value = body.transpose(body.get(local, axes), order);
    body.set(result,
             {body.reshape(value, body.typeOf(result, rest).getShape()), rest});
  }
  return success();
}

/// Leading dimensions for `axes`, then those of `local` with dimension `dim`
/// cut into pieces, one dimension per axis of `over` before the rest of it.
Sizes cutShape(Body &body, ArrayRef<unsigned> axes, RankedTensorType local,
               int64_t dim, ArrayRef<unsigned> over) {
  Sizes shape = body.sizesOf(axes), pieces = body.sizesOf(over);
  llvm::append_range(shape, local.getShape());
  int64_t position = int64_t(axes.size()) + dim;
  shape[position] /= llvm::product_of(pieces);
  shape.insert(shape.begin() + position, pieces.begin(), pieces.end());
  return shape;
}

/// Where the leading dimensions for `axes` are in such a shape, if those of
/// `over` are the pieces.
Sizes pieceOrder(ArrayRef<unsigned> axes, ArrayRef<unsigned> before,
                 int64_t dim, ArrayRef<unsigned> over) {
  return llvm::map_to_vector(axes, [&](unsigned axis) -> int64_t {
    auto piece = llvm::find(over, axis);
    if (piece == over.end())
      return llvm::find(before, axis) - before.begin();
    return int64_t(before.size()) + dim + (piece - over.begin());
  });
}

/// Dimension `dim` is a list of pieces for the devices of a group: the axes of
/// the group lead afterwards.
Everywhere scatter(Body &body, const Everywhere &from, RankedTensorType local,
                   int64_t dim, const Axes &over) {
  Axes axes = join(from.axes, over);
  Sizes order = pieceOrder(axes, from.axes, dim, over);
  int64_t lead = from.axes.size(), count = over.size();
  for (int64_t position = 0; position < local.getRank(); ++position)
    order.push_back(lead + position + (position >= dim ? count : 0));
  Value cut =
      body.reshape(from.value, cutShape(body, from.axes, local, dim, over));
  return {body.transpose(cut, order), axes};
}

LogicalResult expandReduceScatter(Body &body, ReduceScatterOp op,
                                  const Axes &over) {
  Everywhere reduced =
      reduceOver(body, op, op.getOperand(), over, op.getComputation());
  if (!reduced.value)
    return failure();
  body.set(op.getResult(),
           scatter(body, reduced,
                   cast<RankedTensorType>(op.getOperand().getType()),
                   op.getScatterDimension(), over));
  return success();
}

/// The old leading dimensions are the senders and go before the dimension that
/// is concatenated, then the pieces for the receivers lead.
LogicalResult expandAllToAll(Body &body, AllToAllOp op, const Axes &over) {
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension();
  for (auto [local, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    auto type = cast<RankedTensorType>(local.getType());
    Axes axes = join(body.get(local).axes, over);
    Sizes order = pieceOrder(axes, axes, split, over);
    int64_t lead = axes.size(), count = over.size();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (dim == concat)
        llvm::append_range(order, positionsOf(over, axes));
      order.push_back(lead + dim + (dim >= split ? count : 0));
    }
    Value cut = body.reshape(body.get(local, axes),
                             cutShape(body, axes, type, split, over));
    Value value = body.transpose(cut, order);
    body.set(result,
             {body.reshape(value, body.typeOf(result, axes).getShape()), axes});
  }
  return success();
}

/// Who sends to each member of a group along some axes; −1: nobody. The same in
/// all groups, or nothing.
std::optional<std::vector<int64_t>>
sendersAlong(const Mesh &mesh, ArrayRef<std::pair<int64_t, int64_t>> pairs,
             ArrayRef<unsigned> over) {
  Axes others = without(llvm::to_vector(llvm::seq(mesh.getAxisCount())), over);
  std::vector<std::vector<int64_t>> senders(
      mesh.countShards(others),
      std::vector<int64_t>(mesh.countShards(over), -1));
  for (auto [source, target] : pairs) {
    int64_t group = mesh.getShardIndex(target, others);
    if (mesh.getShardIndex(source, others) != group)
      return std::nullopt;
    senders[group][mesh.getShardIndex(target, over)] =
        mesh.getShardIndex(source, over);
  }
  if (!llvm::all_equal(senders))
    return std::nullopt;
  return senders.front();
}

/// `value` with the elements of dimension 0 that `senders` names, zeros for −1:
/// slices one behind the other.
Value rearranged(Body &body, Value value, ArrayRef<int64_t> senders) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> parts;
  for (size_t begin = 0, end = 0; begin < senders.size(); begin = end) {
    bool isSent = senders[begin] >= 0;
    for (end = begin + 1; end < senders.size(); ++end)
      if (isSent ? senders[end] != senders[end - 1] + 1 : senders[end] >= 0)
        break;
    Sizes shape(type.getShape());
    shape[0] = end - begin;
    auto part = type.clone(shape);
    if (!isSent) {
      parts.push_back(createNeutral(body.builder, part, ReductionKind::Sum));
      continue;
    }
    Sizes starts(shape.size(), 0), limits(type.getShape()),
        strides(shape.size(), 1);
    starts[0] = senders[begin];
    limits[0] = senders[begin] + shape[0];
    parts.push_back(
        SliceOp::create(body.builder, part, value, starts, limits, strides));
  }
  if (parts.size() == 1)
    return parts.front();
  return ConcatenateOp::create(body.builder, type, parts, 0);
}

LogicalResult expandPermute(Body &body, CollectivePermuteOp op) {
  const Mesh mesh = toMesh(body.getMesh());
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  SmallVector<int64_t> ids =
      llvm::to_vector(op.getSourceTargetPairs().getValues<int64_t>());
  for (size_t i = 0; i + 1 < ids.size(); i += 2)
    pairs.push_back({ids[i], ids[i + 1]});
  Axes over;
  std::optional<std::vector<int64_t>> senders;
  for (const Axes &choice : choicesOfAxes(body, mesh)) {
    senders = sendersAlong(mesh, pairs, choice);
    over = choice;
    if (senders)
      break;
  }
  if (!senders)
    return body.refuse(op,
                       "between devices that differ in more than manual axes");
  if (failed(checkGroups(body, op, over)))
    return failure();

  Axes axes = join(body.get(op.getOperand()).axes, over);
  Axes rest = without(axes, over);
  Value value = body.get(op.getOperand(), axes);
  auto type = cast<RankedTensorType>(value.getType());
  // The axes of the permutation in front, as one.
  Sizes order = positionsOf(over, axes);
  llvm::append_range(order, positionsOf(rest, axes));
  for (int64_t dim = axes.size(); dim < type.getRank(); ++dim)
    order.push_back(dim);
  Value front = body.transpose(value, order);
  Sizes apart(cast<RankedTensorType>(front.getType()).getShape());
  Sizes merged{int64_t(senders->size())};
  merged.append(apart.begin() + over.size(), apart.end());
  Value moved = rearranged(body, body.reshape(front, merged), *senders);
  Sizes back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = to;
  body.set(op.getResult(),
           {body.transpose(body.reshape(moved, apart), back), axes});
  return success();
}

/// Every device of a group has what its first one has.
LogicalResult expandBroadcast(Body &body, CollectiveBroadcastOp op,
                              const Axes &over) {
  Axes axes = join(body.get(op.getOperand()).axes, over);
  Axes rest = without(axes, over);
  Value value = body.get(op.getOperand(), axes);
  auto type = cast<RankedTensorType>(value.getType());
  Sizes starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  for (int64_t dim : positionsOf(over, axes))
    limits[dim] = 1;
  Value first = SliceOp::create(body.builder, type.clone(limits), value, starts,
                                limits, strides);
  body.set(op.getResult(),
           {body.reshape(first, body.typeOf(op.getResult(), rest).getShape()),
            rest});
  return success();
}

LogicalResult expandPartitionId(Body &body, PartitionIdOp op) {
  Axes axes;
  for (size_t axis = 0; axis < body.getMesh().getAxes().size(); ++axis) {
    if (!body.isManual(axis))
      return body.refuse(op, "where not all axes are manual");
    axes.push_back(axis);
  }
  auto element = cast<RankedTensorType>(op.getType()).getElementType();
  Value ids = IotaOp::create(
      body.builder,
      RankedTensorType::get({body.getMesh().getDeviceCount()}, element), 0);
  body.set(op.getResult(), {body.reshape(ids, body.sizesOf(axes)), axes});
  body.deviceNumbers[op.getResult()] =
      llvm::to_vector(llvm::seq<int64_t>(body.getMesh().getDeviceCount()));
  return success();
}

} // namespace

bool isCollective(Operation *op) {
  return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp,
             CollectivePermuteOp, CollectiveBroadcastOp, PartitionIdOp,
             ReplicaIdOp>(op);
}

LogicalResult expandCollective(Body &body, Operation *op) {
  body.builder.setLoc(op->getLoc());
  if (auto id = dyn_cast<PartitionIdOp>(op))
    return expandPartitionId(body, id);
  if (auto permute = dyn_cast<CollectivePermuteOp>(op))
    return expandPermute(body, permute);
  Attribute groups = op->getAttr("replica_groups");
  if (!groups)
    return body.refuse(op, "has no form for all devices at once");
  auto alongAxes = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  FailureOr<Axes> over =
      alongAxes ? axesOfGroups(body, op, alongAxes)
                : axesOfGroups(body, op, cast<DenseIntElementsAttr>(groups));
  if (failed(over) || failed(checkGroups(body, op, *over)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AllReduceOp reduce) {
        return expandAllReduce(body, reduce, *over);
      })
      .Case([&](AllGatherOp gather) {
        return expandAllGather(body, gather, *over);
      })
      .Case([&](ReduceScatterOp scatter) {
        return expandReduceScatter(body, scatter, *over);
      })
      .Case([&](AllToAllOp exchange) {
        return expandAllToAll(body, exchange, *over);
      })
      .Case([&](CollectiveBroadcastOp broadcast) {
        return expandBroadcast(body, broadcast, *over);
      });
}

} // namespace shardsmith::manual
