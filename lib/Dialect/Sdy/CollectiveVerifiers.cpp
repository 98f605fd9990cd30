// SPDX-License-Identifier: Apache-2.0
//
// Each verifier checks the list of constraints in the op's description, in
// that order. An operand without sharding counts as whole on every device.

#include "AxisParts.h"

using namespace mlir;

namespace shardsmith::sdy {
namespace {

/// The shardings on both sides of a collective.
struct Sides {
  Operation *op;
  MeshAttr mesh;
  TensorShardingAttr operand;
  TensorShardingAttr result;

  ArrayRef<AxisRefAttr> operandAxes(int64_t dim) const {
    return operand.getDimShardings()[dim].getAxes();
  }
  ArrayRef<AxisRefAttr> resultAxes(int64_t dim) const {
    return result.getDimShardings()[dim].getAxes();
  }
};

template <typename OpT> FailureOr<Sides> verifySides(OpT op) {
  TensorShardingAttr result = op.getOutSharding();
  if (failed(verifySharding(result, op.getType(), op, "result 0")))
    return failure();
  TensorShardingAttr operand = getSharding(op.getTensor());
  if (!operand)
    operand = TensorShardingAttr::getReplicated(
        op.getContext(), result.getMeshName(), result.getRank());
  MeshAttr mesh = result.getMesh(op);
  MeshAttr operandMesh = operand.getMesh(op);
  // A permutation may be one from an order of the devices to another.
  bool isSameMesh = operandMesh == mesh ||
                    (isa<CollectivePermuteOp>(op.getOperation()) &&
                     operandMesh && operandMesh.getAxes() == mesh.getAxes());
  if (operandMesh && !isSameMesh && !operand.isReplicated())
    return op.emitOpError("has an operand on another mesh");
  if (operand.getRank() != result.getRank())
    return op.emitOpError("has an operand sharding of another rank");
  return Sides{op, mesh, operand, result};
}

LogicalResult verifyListPerDimension(const Sides &sides,
                                     ListOfAxisRefListsAttr lists) {
  int64_t rank = sides.result.getRank();
  if (static_cast<int64_t>(lists.getValue().size()) != rank)
    return sides.op->emitOpError("has ")
           << lists.getValue().size() << " lists of axes for " << rank
           << " dimensions";
  for (AxisRefListAttr list : lists.getValue())
    for (AxisRefAttr axis : list.getValue())
      if (!sides.mesh.getAxisSize(axis.getName()))
        return sides.op->emitOpError("uses axis \"")
               << axis.getName() << "\", which the mesh does not have";
  return success();
}

/// Checks `prefix` followed by `suffix` == `whole`, as parts of axes.
LogicalResult verifyConcatenation(const Sides &sides, int64_t dim,
                                  ArrayRef<AxisRefAttr> prefix,
                                  ArrayRef<AxisRefAttr> suffix,
                                  ArrayRef<AxisRefAttr> whole,
                                  StringRef sentence) {
  AxisParts left, right;
  appendParts(left, prefix, sides.mesh);
  appendParts(left, suffix, sides.mesh);
  appendParts(right, whole, sides.mesh);
  if (left == right)
    return success();
  return sides.op->emitOpError("dimension ") << dim << ": " << sentence;
}

LogicalResult verifySameDimensions(const Sides &sides) {
  for (int64_t dim = 0; dim < sides.result.getRank(); ++dim)
    if (failed(verifyConcatenation(
            sides, dim, sides.operandAxes(dim), {}, sides.resultAxes(dim),
            "operand and result must be split over the same axes")))
      return failure();
  return success();
}

/// out axes ++ lists == operand axes.
LogicalResult verifyRemoval(const Sides &sides, ListOfAxisRefListsAttr lists) {
  if (failed(verifyListPerDimension(sides, lists)))
    return failure();
  for (auto [dim, list] : llvm::enumerate(lists.getValue()))
    if (failed(verifyConcatenation(
            sides, dim, sides.resultAxes(dim), list.getValue(),
            sides.operandAxes(dim),
            "out axes followed by the removed axes must be the operand's "
            "axes")))
      return failure();
  return success();
}

/// operand axes ++ lists == out axes.
LogicalResult verifyAddition(const Sides &sides, ListOfAxisRefListsAttr lists) {
  if (failed(verifyListPerDimension(sides, lists)))
    return failure();
  for (auto [dim, list] : llvm::enumerate(lists.getValue()))
    if (failed(verifyConcatenation(
            sides, dim, sides.operandAxes(dim), list.getValue(),
            sides.resultAxes(dim),
            "the operand's axes followed by the added axes must be the out "
            "axes")))
      return failure();
  return success();
}

bool anyOverlap(ArrayRef<AxisRefAttr> a, ArrayRef<AxisRefAttr> b) {
  return llvm::any_of(a, [&](AxisRefAttr axis) {
    return llvm::any_of(
        b, [&](AxisRefAttr other) { return overlap(axis, other); });
  });
}

SmallVector<AxisRefAttr> flatten(ListOfAxisRefListsAttr lists) {
  SmallVector<AxisRefAttr> axes;
  for (AxisRefListAttr list : lists.getValue())
    llvm::append_range(axes, list.getValue());
  return axes;
}

/// Axes that a reduction combined must not be partial any more.
LogicalResult verifyReduced(const Sides &sides, ArrayRef<AxisRefAttr> axes) {
  if (anyOverlap(axes, sides.result.getUnreducedAxes()))
    return sides.op->emitOpError(
        "result is still unreduced over an axis that was reduced");
  return success();
}

LogicalResult verifyUnreduced(const Sides &sides, ArrayRef<AxisRefAttr> axes) {
  for (AxisRefAttr axis : axes)
    if (!anyOverlap(axis, sides.result.getUnreducedAxes()))
      return sides.op->emitOpError("result must be unreduced over axis \"")
             << axis.getName() << "\"";
  return success();
}

} // namespace

LogicalResult AllGatherOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  return failed(sides) ? failure() : verifyRemoval(*sides, getGatheringAxes());
}

LogicalResult AllSliceOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  return failed(sides) ? failure() : verifyAddition(*sides, getSlicingAxes());
}

LogicalResult AllToAllOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides))
    return failure();
  ArrayRef<AllToAllParamAttr> params = getParams().getValue();
  if (params.empty())
    return emitOpError("moves no axes");
  int64_t rank = sides->result.getRank();
  SmallVector<ArrayRef<AxisRefAttr>> leaving(rank), arriving(rank);
  SmallVector<bool> seen(rank, false);
  for (AllToAllParamAttr param : params) {
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()}) {
      if (dim >= rank)
        return emitOpError("moves axes of dimension ")
               << dim << " of a tensor of rank " << rank;
      if (seen[dim])
        return emitOpError("uses dimension ") << dim << " in two moves";
      seen[dim] = true;
    }
    for (AxisRefAttr axis : param.getAxes())
      if (!sides->mesh.getAxisSize(axis.getName()))
        return emitOpError("uses axis \"")
               << axis.getName() << "\", which the mesh does not have";
    leaving[param.getSrcDim()] = param.getAxes();
    arriving[param.getTgtDim()] = param.getAxes();
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isSource = !leaving[dim].empty();
    ArrayRef<AxisRefAttr> before = sides->operandAxes(dim);
    ArrayRef<AxisRefAttr> after = sides->resultAxes(dim);
    LogicalResult result =
        isSource
            ? verifyConcatenation(*sides, dim, after, leaving[dim], before,
                                  "out axes followed by the moved axes must "
                                  "be the operand's axes")
            : verifyConcatenation(*sides, dim, before, arriving[dim], after,
                                  "the operand's axes followed by the moved "
                                  "axes must be the out axes");
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides))
    return failure();
  auto countShards = [&](ArrayRef<AxisRefAttr> axes) {
    int64_t count = 1;
    for (AxisRefAttr axis : axes)
      count *= axis.getSize(sides->mesh);
    return count;
  };
  for (int64_t dim = 0; dim < sides->result.getRank(); ++dim)
    if (countShards(sides->operandAxes(dim)) !=
        countShards(sides->resultAxes(dim)))
      return emitOpError("dimension ")
             << dim << " must have as many shards before as after";
  if (sides->operand.getUnreducedAxes() != sides->result.getUnreducedAxes())
    return emitOpError("must keep the unreduced axes");
  return success();
}

LogicalResult AllReduceOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides))
    return failure();
  ArrayRef<AxisRefAttr> axes = getReductionAxes().getValue();
  for (AxisRefAttr axis : axes)
    if (!sides->mesh.getAxisSize(axis.getName()))
      return emitOpError("uses axis \"")
             << axis.getName() << "\", which the mesh does not have";
  for (int64_t dim = 0; dim < sides->result.getRank(); ++dim)
    if (anyOverlap(axes, sides->operandAxes(dim)))
      return emitOpError("reduces over an axis that splits dimension ") << dim;
  if (failed(verifyReduced(*sides, axes)))
    return failure();
  return verifySameDimensions(*sides);
}

LogicalResult ReduceScatterOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides) || failed(verifyAddition(*sides, getReduceScatterAxes())))
    return failure();
  return verifyReduced(*sides, flatten(getReduceScatterAxes()));
}

LogicalResult ShardedToUnreducedOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides) || failed(verifyRemoval(*sides, getAxes())))
    return failure();
  return verifyUnreduced(*sides, flatten(getAxes()));
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  FailureOr<Sides> sides = verifySides(*this);
  if (failed(sides))
    return failure();
  ArrayRef<AxisRefAttr> axes = getAxes().getValue();
  if (anyOverlap(axes, sides->operand.getUnreducedAxes()))
    return emitOpError("operand is unreduced already over one of the axes");
  if (failed(verifyUnreduced(*sides, axes)))
    return failure();
  return verifySameDimensions(*sides);
}

} // namespace shardsmith::sdy
