// SPDX-License-Identifier: Apache-2.0
//
// Collectives of StableHLO. Their groups name processes in one of several
// ways; here they become groups of devices, where device number =
// replica · partitions + partition.

#include "Groups.h"
#include "Register.h"
#include "ScalarBody.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

struct ProcessGrid {
  int64_t replicas, partitions;

  /// From the module's counts; without them all devices are partitions.
  static ProcessGrid of(Machine &machine) {
    auto count = machine.getModule()->getAttrOfType<mlir::IntegerAttr>(
        "mhlo.num_replicas");
    const int64_t devices = machine.getDeviceCount();
    const int64_t replicas = count ? count.getInt() : 1;
    if (replicas < 1 || devices % replicas != 0)
      return {1, devices};
    return {replicas, devices / replicas};
  }
  int64_t device(int64_t replica, int64_t partition) const {
    return replica * partitions + partition;
  }
};

/// What the numbers in `replica_groups` are.
enum class GroupMode { Replicas, Partitions, ReplicasOfAllPartitions, Devices };

template <typename OpTy> bool hasChannel(OpTy op) {
  return op.getChannelHandle() && op.getChannelHandle()->getHandle() > 0;
}

/// The mode of the reducing and gathering collectives.
template <typename OpTy> GroupMode reducingMode(OpTy op) {
  if (!hasChannel(op))
    return GroupMode::Replicas;
  return op.getUseGlobalDeviceIds() ? GroupMode::Devices
                                    : GroupMode::ReplicasOfAllPartitions;
}

/// The mode of the collectives without `use_global_device_ids`.
template <typename OpTy> GroupMode exchangingMode(OpTy op) {
  return hasChannel(op) ? GroupMode::Partitions : GroupMode::Replicas;
}

/// Rows of a matrix of numbers; −1 pads short rows.
SmallVector<SmallVector<int64_t>> rowsOf(mlir::DenseIntElementsAttr matrix) {
  SmallVector<SmallVector<int64_t>> rows;
  const Tensor numbers = tensorFrom(matrix);
  if (numbers.rank() != 2)
    return rows;
  for (int64_t row = 0; row < numbers.dim(0); ++row) {
    SmallVector<int64_t> &values = rows.emplace_back();
    for (int64_t column = 0; column < numbers.dim(1); ++column)
      if (int64_t value = numbers.asInteger(row * numbers.dim(1) + column);
          value >= 0)
        values.push_back(value);
  }
  return rows;
}

DeviceGroups devicesOf(ArrayRef<SmallVector<int64_t>> rows, GroupMode mode,
                       Machine &machine) {
  const ProcessGrid grid = ProcessGrid::of(machine);
  DeviceGroups groups;
  for (ArrayRef<int64_t> row : rows) {
    switch (mode) {
    case GroupMode::Devices:
      groups.emplace_back(row);
      break;
    case GroupMode::Replicas:
      for (int64_t partition = 0; partition < grid.partitions; ++partition) {
        groups.emplace_back();
        for (int64_t replica : row)
          groups.back().push_back(grid.device(replica, partition));
      }
      break;
    case GroupMode::Partitions:
      for (int64_t replica = 0; replica < grid.replicas; ++replica) {
        groups.emplace_back();
        for (int64_t partition : row)
          groups.back().push_back(grid.device(replica, partition));
      }
      break;
    case GroupMode::ReplicasOfAllPartitions:
      groups.emplace_back();
      for (int64_t partition = 0; partition < grid.partitions; ++partition)
        for (int64_t replica : row)
          groups.back().push_back(grid.device(replica, partition));
      break;
    }
  }
  return groups;
}

/// What lists of all groups would say that run along axes of a mesh.
FailureOr<DeviceGroups> rowsAlong(mlir::Operation *op,
                                  stablehlo::ReplicaGroupMeshAxesAttr groups,
                                  Machine &machine) {
  auto meshOp = mlir::SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(
      op, groups.getMesh());
  if (!meshOp)
    return op->emitOpError() << "names the unknown mesh " << groups.getMesh();
  if (!meshOp.getMesh().getDeviceIds().empty())
    return machine.unsupported(op, "its mesh orders devices explicitly");
  const Mesh mesh = toMesh(meshOp.getMesh());
  if (mesh.getDeviceCount() != machine.getDeviceCount())
    return op->emitOpError() << "belongs to a mesh of " << mesh.getDeviceCount()
                             << " devices, but " << machine.getDeviceCount()
                             << " are interpreted";
  AxisList axes;
  for (stablehlo::AxisRefAttr ref : groups.getAxes()) {
    std::optional<MeshAxis> axis = mesh.find(ref.getName());
    if (!axis)
      return op->emitOpError() << "names the axis \"" << ref.getName()
                               << "\", which the mesh does not have";
    axes.push_back(*axis);
  }
  return groupsOver(mesh, axes);
}

template <typename OpTy>
FailureOr<DeviceGroups> groupsOf(OpTy op, GroupMode mode, Machine &machine) {
  const mlir::Attribute attribute = op.getReplicaGroups();
  if (auto listed = dyn_cast<mlir::DenseIntElementsAttr>(attribute))
    return devicesOf(rowsOf(listed), mode, machine);
  FailureOr<DeviceGroups> rows = rowsAlong(
      op, cast<stablehlo::ReplicaGroupMeshAxesAttr>(attribute), machine);
  if (failed(rows))
    return failure();
  return devicesOf(*rows, mode, machine);
}

/// The fold in the body of a reducing collective.
FailureOr<BinaryKind> foldIn(mlir::Operation *op, mlir::Region &body,
                             Machine &machine) {
  if (std::optional<BinaryKind> kind = foldOf(body))
    return *kind;
  return machine.unsupported(
      op, "its body is not a single sum, product, minimum, maximum, and, or");
}

LogicalResult evaluateAllReduce(stablehlo::AllReduceOp op, Devices devices,
                                const DeviceTensors &operands, Machine &machine,
                                DeviceTensors &results) {
  FailureOr<BinaryKind> kind = foldIn(op, op.getComputation(), machine);
  if (failed(kind))
    return failure();
  const FailureOr<DeviceGroups> groups =
      groupsOf(op, reducingMode(op), machine);
  if (failed(groups))
    return failure();
  for (size_t operand = 0; operand < op->getNumOperands(); ++operand)
    if (failed(runGroups(op, *groups, devices, operands, operand, results,
                         [&](ArrayRef<Tensor> members) {
                           return allReduce(members, *kind);
                         })))
      return failure();
  return success();
}

LogicalResult evaluateAllGather(stablehlo::AllGatherOp op, Devices devices,
                                const DeviceTensors &operands, Machine &machine,
                                DeviceTensors &results) {
  const FailureOr<DeviceGroups> groups =
      groupsOf(op, reducingMode(op), machine);
  if (failed(groups))
    return failure();
  for (size_t operand = 0; operand < op->getNumOperands(); ++operand)
    if (failed(runGroups(op, *groups, devices, operands, operand, results,
                         [&](ArrayRef<Tensor> members) {
                           return allGather(members, op.getAllGatherDim());
                         })))
      return failure();
  return success();
}

LogicalResult evaluateReduceScatter(stablehlo::ReduceScatterOp op,
                                    Devices devices,
                                    const DeviceTensors &operands,
                                    Machine &machine, DeviceTensors &results) {
  FailureOr<BinaryKind> kind = foldIn(op, op.getComputation(), machine);
  if (failed(kind))
    return failure();
  const FailureOr<DeviceGroups> groups =
      groupsOf(op, reducingMode(op), machine);
  if (failed(groups))
    return failure();
  return runGroups(op, *groups, devices, operands, 0, results,
                   [&](ArrayRef<Tensor> members) {
                     return reduceScatter(members, *kind,
                                          op.getScatterDimension());
                   });
}

LogicalResult evaluateAllToAll(stablehlo::AllToAllOp op, Devices devices,
                               const DeviceTensors &operands, Machine &machine,
                               DeviceTensors &results) {
  const FailureOr<DeviceGroups> groups =
      groupsOf(op, exchangingMode(op), machine);
  if (failed(groups))
    return failure();
  for (size_t operand = 0; operand < op->getNumOperands(); ++operand)
    if (failed(runGroups(op, *groups, devices, operands, operand, results,
                         [&](ArrayRef<Tensor> members) {
                           return allToAll(members, op.getSplitDimension(),
                                           op.getConcatDimension());
                         })))
      return failure();
  return success();
}

LogicalResult evaluatePermute(stablehlo::CollectivePermuteOp op,
                              Devices devices, const DeviceTensors &operands,
                              Machine &machine, DeviceTensors &results) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (ArrayRef<int64_t> pair : devicesOf(rowsOf(op.getSourceTargetPairs()),
                                          exchangingMode(op), machine))
    if (pair.size() == 2)
      pairs.emplace_back(pair[0], pair[1]);
  return permute(op, pairs, devices, operands, results);
}

/// Devices in no group get zeros, like those that are no target of a permute.
LogicalResult evaluateBroadcast(stablehlo::CollectiveBroadcastOp op,
                                Devices devices, const DeviceTensors &operands,
                                Machine &machine, DeviceTensors &results) {
  const FailureOr<DeviceGroups> groups =
      groupsOf(op, exchangingMode(op), machine);
  if (failed(groups))
    return failure();
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (ArrayRef<int64_t> group : *groups)
    for (int64_t device : group)
      pairs.emplace_back(group.front(), device);
  return permute(op, pairs, devices, operands, results);
}

LogicalResult evaluatePartitionId(stablehlo::PartitionIdOp, Arguments,
                                  const Device &device, Tensors &results) {
  const ProcessGrid grid = ProcessGrid::of(device.machine);
  results.push_back(Tensor::scalar(
      ElementType::U32, static_cast<uint32_t>(device.index % grid.partitions)));
  return success();
}

LogicalResult evaluateReplicaId(stablehlo::ReplicaIdOp, Arguments,
                                const Device &device, Tensors &results) {
  const ProcessGrid grid = ProcessGrid::of(device.machine);
  results.push_back(Tensor::scalar(
      ElementType::U32, static_cast<uint32_t>(device.index / grid.partitions)));
  return success();
}

} // namespace

void registerCollectives(EvaluatorRegistry &registry) {
  registry.addLockstep(evaluateAllGather);
  registry.addLockstep(evaluateAllReduce);
  registry.addLockstep(evaluateAllToAll);
  registry.addLockstep(evaluateBroadcast);
  registry.addLockstep(evaluatePermute);
  registry.addLockstep(evaluateReduceScatter);
  registry.add(evaluatePartitionId);
  registry.add(evaluateReplicaId);
}

} // namespace shardsmith::inline interpreter
