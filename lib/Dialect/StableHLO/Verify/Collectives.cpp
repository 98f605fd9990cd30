// SPDX-License-Identifier: Apache-2.0
// Communication: replica groups, channels and the sizes they imply.

#include "Bodies.h"
#include "Rules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;

namespace shardsmith::stablehlo {

namespace {

LogicalResult checkMeshAxes(const Reporter &report,
                            ReplicaGroupMeshAxesAttr groups) {
  llvm::SmallDenseSet<StringRef> seen;
  for (AxisRefAttr axis : groups.getAxes())
    if (!seen.insert(axis.getName()).second)
      return report("has axis \"", axis.getName(),
                    "\" twice in replica_groups");
  return success();
}

/// Listed groups are rows of device ids, each id once; −1 pads short rows.
LogicalResult checkReplicaGroups(const Reporter &report, Attribute attribute) {
  if (auto alongAxes = dyn_cast<ReplicaGroupMeshAxesAttr>(attribute))
    return checkMeshAxes(report, alongAxes);
  auto groups = cast<DenseIntElementsAttr>(attribute);
  if (groups.getType().getRank() != 2)
    return report("needs replica_groups of rank 2, found ", groups.getType());
  std::set<int64_t> seen; // any value may be written
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id < -1)
      return report("has device ", id, " in replica_groups");
    if (id >= 0 && !seen.insert(id).second)
      return report("has device ", id, " twice in replica_groups");
  }
  return success();
}

bool isPadded(Attribute groups) {
  auto listed = dyn_cast<DenseIntElementsAttr>(groups);
  return listed && llvm::any_of(listed.getValues<int64_t>(),
                                [](int64_t id) { return id < 0; });
}

/// Devices per group, if all groups have as many and there are any. How large
/// a mesh is, this dialect does not know.
std::optional<int64_t> groupSize(Attribute groups) {
  auto listed = dyn_cast<DenseIntElementsAttr>(groups);
  if (!listed || isPadded(groups))
    return std::nullopt;
  ArrayRef<int64_t> shape = listed.getType().getShape();
  if (shape[0] == 0 || shape[1] == 0)
    return std::nullopt;
  return shape[1];
}

/// Flattened ids need a channel and rows without padding.
LogicalResult checkGlobalIds(const Reporter &report, bool useGlobalIds,
                             std::optional<ChannelHandleAttr> channel,
                             Attribute groups) {
  if (!useGlobalIds)
    return success();
  if (!channel || channel->getHandle() <= 0)
    return report("needs a positive channel handle with "
                  "use_global_device_ids, found ",
                  channel ? channel->getHandle() : 0);
  if (isPadded(groups))
    return report("needs groups of equal size with use_global_device_ids");
  return success();
}

LogicalResult checkDimension(const Reporter &report, StringRef name,
                             int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return report("has ", name, " ", dim, ", outside [0, ", rank, ")");
}

/// Result and operand agree in count and element type.
LogicalResult checkResultCount(const Reporter &report, TypeRange operands,
                               TypeRange results) {
  if (operands.empty())
    return report("needs at least one operand");
  if (operands.size() != results.size())
    return report("needs a result per operand, found ", results.size(), " for ",
                  operands.size());
  for (auto [operand, result] : llvm::zip(operands, results))
    if (cast<RankedTensorType>(operand).getElementType() !=
        cast<RankedTensorType>(result).getElementType())
      return report("cannot change the element type, from ", operand, " to ",
                    result);
  return success();
}

LogicalResult checkSameTypes(const Reporter &report, TypeRange operands,
                             TypeRange results) {
  if (areCompatibleTypes(operands, results))
    return success();
  return report("needs results of the operands' types (", operands,
                "), found (", results, ")");
}

/// `small`, `large`: shapes that differ in `dim` by the group size, or by a
/// whole factor if that is not known.
LogicalResult checkScaled(const Reporter &report, ArrayRef<int64_t> small,
                          ArrayRef<int64_t> large, int64_t dim,
                          std::optional<int64_t> factor) {
  if (small.size() != large.size())
    return report("needs operand and result of one rank, found ", toText(small),
                  " and ", toText(large));
  for (auto [index, sizes] : llvm::enumerate(llvm::zip(small, large))) {
    auto [left, right] = sizes;
    if (ShapedType::isDynamic(left) || ShapedType::isDynamic(right))
      continue;
    if (static_cast<int64_t>(index) != dim) {
      if (left != right)
        return report("differs between operand and result in dimension ", index,
                      ", ", left, " and ", right, "; only dimension ", dim,
                      " may");
      continue;
    }
    int64_t product = 0;
    if (factor &&
        (llvm::MulOverflow(left, *factor, product) || product != right))
      return report("needs dimension ", dim, " to differ by the group size ",
                    *factor, ", found ", left, " and ", right);
    if (!factor && (left == 0 ? right != 0 : right % left != 0))
      return report("needs dimension ", dim,
                    " to differ by a whole factor, found ", left, " and ",
                    right);
  }
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult AllReduceOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkReplicaGroups(report, getReplicaGroups())) ||
      failed(checkGlobalIds(report, getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())) ||
      failed(checkResultCount(report, getOperandTypes(), getResultTypes())))
    return failure();
  return checkSameTypes(report, getOperandTypes(), getResultTypes());
}

LogicalResult AllReduceOp::verifyRegions() {
  // One body combines every operand: two scalars to one.
  return checkCombiner(reporterOf(*this), getComputation(), "the computation",
                       getResultTypes().front());
}

LogicalResult ReduceScatterOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType operand = getOperand().getType();
  if (failed(checkReplicaGroups(report, getReplicaGroups())) ||
      failed(checkGlobalIds(report, getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())) ||
      failed(checkResultCount(report, operand, getType())) ||
      failed(checkDimension(report, "scatter_dimension", getScatterDimension(),
                            operand.getRank())))
    return failure();
  return checkScaled(report, getType().getShape(), operand.getShape(),
                     getScatterDimension(), groupSize(getReplicaGroups()));
}

LogicalResult ReduceScatterOp::verifyRegions() {
  return checkCombiner(reporterOf(*this), getComputation(), "the computation",
                       getType());
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkReplicaGroups(report, getReplicaGroups())) ||
      failed(checkGlobalIds(report, getUseGlobalDeviceIds(), getChannelHandle(),
                            getReplicaGroups())) ||
      failed(checkResultCount(report, getOperandTypes(), getResultTypes())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults()))
    if (failed(checkDimension(report, "all_gather_dim", getAllGatherDim(),
                              rankOf(operand))) ||
        failed(checkScaled(report, tensorType(operand).getShape(),
                           tensorType(result).getShape(), getAllGatherDim(),
                           groupSize(getReplicaGroups()))))
      return failure();
  return success();
}

LogicalResult AllToAllOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkReplicaGroups(report, getReplicaGroups())) ||
      failed(checkResultCount(report, getOperandTypes(), getResultTypes())))
    return failure();
  int64_t split = getSplitDimension(), concat = getConcatDimension();
  int64_t count = getSplitCount();
  if (count < 1)
    return report("needs split_count of at least 1, found ", count);
  std::optional<int64_t> devices = groupSize(getReplicaGroups());
  if (devices && *devices != count)
    return report("needs split_count to be the group size ", *devices,
                  ", found ", count);
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    int64_t rank = rankOf(operand);
    if (failed(checkDimension(report, "split_dimension", split, rank)) ||
        failed(checkDimension(report, "concat_dimension", concat, rank)))
      return failure();
    Shape shape(tensorType(operand).getShape());
    if (!ShapedType::isDynamic(shape[split])) {
      if (shape[split] % count != 0)
        return report("needs split_count to divide dimension ", split,
                      ", found ", count, " and ", shape[split]);
      shape[split] /= count;
    }
    if (!ShapedType::isDynamic(shape[concat]) &&
        llvm::MulOverflow(shape[concat], count, shape[concat]))
      return report("joins dimension ", concat, " to a size beyond 64 bits");
    if (failed(checkResultShape(report, result.getType(), shape)))
      return failure();
  }
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  Reporter report = reporterOf(*this);
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ArrayRef<int64_t> shape = pairs.getType().getShape();
  if (shape.size() != 2 || (shape[1] != 2 && shape[0] != 0))
    return report("needs pairs (source, target) in source_target_pairs, "
                  "found ",
                  pairs.getType());
  std::set<int64_t> sources, targets;
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    bool isSource = index % 2 == 0;
    if (id < 0)
      return report("has device ", id, " in source_target_pairs");
    if (!(isSource ? sources : targets).insert(id).second)
      return report("has ", isSource ? "source " : "target ", id,
                    " twice in source_target_pairs");
  }
  return checkSameTypes(report, getOperand().getType(), getType());
}

LogicalResult CollectiveBroadcastOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkReplicaGroups(report, getReplicaGroups())))
    return failure();
  return checkSameTypes(report, getOperand().getType(), getType());
}

//===----------------------------------------------------------------------===//
// Started collectives
//===----------------------------------------------------------------------===//

LogicalResult AsyncStartOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkArguments(report, getBody(), "the body", getOperandTypes())))
    return failure();
  return checkReturn(report, getBody(), "the body", getType().getTypes());
}

LogicalResult AsyncDoneOp::verify() {
  return checkSameTypes(reporterOf(*this), getFuture().getType().getTypes(),
                        getResultTypes());
}

} // namespace shardsmith::stablehlo
