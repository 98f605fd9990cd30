// SPDX-License-Identifier: Apache-2.0
//
// Collectives of the local program, over axes of the module's mesh.

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"

#include "../ReductionKinds.h"
#include "Groups.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// The mesh that the machine's devices form.
FailureOr<Mesh> meshFor(mlir::Operation *op, Machine &machine) {
  FailureOr<NamedMesh> mesh = getMesh(machine.getModule());
  if (failed(mesh))
    return failure();
  if (mesh->mesh.getDeviceCount() != machine.getDeviceCount())
    return op->emitOpError() << "belongs to a mesh of "
                             << mesh->mesh.getDeviceCount() << " devices, but "
                             << machine.getDeviceCount() << " are interpreted";
  return mesh->mesh;
}

/// Runs a collective whose op has an `axes` attribute and one operand.
template <typename OpTy>
LogicalResult runOverAxes(OpTy op, Devices devices,
                          const DeviceTensors &operands, Machine &machine,
                          DeviceTensors &results, GroupFunction function) {
  FailureOr<Mesh> mesh = meshFor(op, machine);
  if (failed(mesh))
    return failure();
  return runGroups(op, groupsOver(*mesh, toAxes(*mesh, op.getAxes())), devices,
                   operands, 0, results, function);
}

LogicalResult evaluateAllReduce(smith::AllReduceOp op, Devices devices,
                                const DeviceTensors &operands, Machine &machine,
                                DeviceTensors &results) {
  return runOverAxes(
      op, devices, operands, machine, results, [&](ArrayRef<Tensor> members) {
        return allReduce(members, binaryKind(op.getKind().getValue()));
      });
}

LogicalResult evaluateAllGather(smith::AllGatherOp op, Devices devices,
                                const DeviceTensors &operands, Machine &machine,
                                DeviceTensors &results) {
  return runOverAxes(op, devices, operands, machine, results,
                     [&](ArrayRef<Tensor> members) {
                       return allGather(members, op.getDim());
                     });
}

LogicalResult evaluateReduceScatter(smith::ReduceScatterOp op, Devices devices,
                                    const DeviceTensors &operands,
                                    Machine &machine, DeviceTensors &results) {
  return runOverAxes(
      op, devices, operands, machine, results, [&](ArrayRef<Tensor> members) {
        return reduceScatter(members, binaryKind(op.getKind().getValue()),
                             op.getDim());
      });
}

LogicalResult evaluateAllToAll(smith::AllToAllOp op, Devices devices,
                               const DeviceTensors &operands, Machine &machine,
                               DeviceTensors &results) {
  return runOverAxes(
      op, devices, operands, machine, results, [&](ArrayRef<Tensor> members) {
        return allToAll(members, op.getSplitDim(), op.getConcatDim());
      });
}

LogicalResult evaluatePermute(smith::CollectivePermuteOp op, Devices devices,
                              const DeviceTensors &operands, Machine &machine,
                              DeviceTensors &results) {
  if (failed(meshFor(op, machine)))
    return failure();
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t pair = 0; pair < op.getPairCount(); ++pair)
    pairs.emplace_back(op.getSource(pair), op.getTarget(pair));
  return permute(op, pairs, devices, operands, results);
}

LogicalResult evaluateShardIndex(smith::ShardIndexOp op, Arguments,
                                 const Device &device, Tensors &results) {
  FailureOr<Mesh> mesh = meshFor(op, device.machine);
  if (failed(mesh))
    return failure();
  const auto index = static_cast<int32_t>(
      mesh->getShardIndex(device.index, toAxes(*mesh, op.getAxes())));
  results.push_back(Tensor::scalar(ElementType::I32, index));
  return success();
}

LogicalResult evaluateWithDerivative(smith::WithDerivativeOp op,
                                     Arguments operands, const Device &,
                                     Tensors &results) {
  append_range(results, operands.take_back(op.getValues().size()));
  return success();
}

} // namespace

void registerSmith(EvaluatorRegistry &registry) {
  registry.addFunction<smith::StopGradientOp>(
      [](Arguments operands) { return operands[0]; });
  registry.add(evaluateWithDerivative);
  registry.addLockstep(evaluateAllGather);
  registry.addLockstep(evaluateAllReduce);
  registry.addLockstep(evaluateAllToAll);
  registry.addLockstep(evaluatePermute);
  registry.addLockstep(evaluateReduceScatter);
  registry.add(evaluateShardIndex);
}

} // namespace shardsmith::inline interpreter
