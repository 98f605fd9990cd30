// SPDX-License-Identifier: Apache-2.0
//
// Ops of `sdy` say where values live, not what they are: on whole tensors all
// of them are identities. Only the region ops compute.

#include "shardsmith/Dialect/Sdy/Sdy.h"

#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

template <typename... OpTys> void addIdentities(EvaluatorRegistry &registry) {
  (registry.addFunction<OpTys>([](Arguments operands) { return operands[0]; }),
   ...);
}

LogicalResult evaluateShardyConstant(sdy::ConstantOp op, Arguments,
                                     const Device &device, Tensors &results) {
  Tensor value = tensorFrom(op.getValue());
  if (!value)
    return device.unsupported(op, "the form of its value is not known");
  results.push_back(value);
  return success();
}

LogicalResult evaluateGroup(sdy::ShardingGroupOp, Arguments, const Device &,
                            Tensors &) {
  return success();
}

LogicalResult evaluateNamedComputation(sdy::NamedComputationOp op,
                                       Devices devices,
                                       const DeviceTensors &operands,
                                       Machine &machine,
                                       DeviceTensors &results) {
  return machine.runRegion(op.getBody(), devices, operands, results);
}

} // namespace

void registerShardy(EvaluatorRegistry &registry) {
  addIdentities<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp,
                sdy::AllToAllOp, sdy::CollectivePermuteOp, sdy::DataFlowEdgeOp,
                sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp,
                sdy::ReduceScatterOp, sdy::ReplicatedToUnreducedOp,
                sdy::ReshardOp, sdy::ShardedToUnreducedOp,
                sdy::ShardingConstraintOp>(registry);
  registry.add(evaluateShardyConstant);
  registry.add(evaluateGroup);
  registry.addLockstep(evaluateNamedComputation);
}

} // namespace shardsmith::inline interpreter
