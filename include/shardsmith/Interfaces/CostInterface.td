// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_COSTINTERFACE_TD
#define SHARDSMITH_INTERFACES_COSTINTERFACE_TD

include "mlir/IR/OpBase.td"

def CostInterface : OpInterface<"CostInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    Work of an op, as the cost model needs it. The types are passed in so
    that a planner can ask for the cost of one shard without building it; they
    have the ranks of the op's own operands and results.
  }];
  let methods = [
    InterfaceMethod<"Work on tensors of these types.",
      "::shardsmith::OpWork", "getWork",
      (ins "::llvm::ArrayRef<::mlir::RankedTensorType>":$operandTypes,
           "::llvm::ArrayRef<::mlir::RankedTensorType>":$resultTypes)>
  ];
}

#endif
