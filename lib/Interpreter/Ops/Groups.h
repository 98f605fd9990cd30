// SPDX-License-Identifier: Apache-2.0
//
// What all collectives have in common: groups of devices that meet.

#ifndef SHARDSMITH_LIB_INTERPRETER_OPS_GROUPS_H
#define SHARDSMITH_LIB_INTERPRETER_OPS_GROUPS_H

#include "../Kernels/BinaryScalars.h"
#include "shardsmith/Interpreter/Machine.h"
#include "shardsmith/Interpreter/Pieces.h"

namespace shardsmith::inline interpreter {

/// Computes the results of one group from its members' operands, both in the
/// order of the group.
using GroupFunction =
    llvm::function_ref<Tensors(llvm::ArrayRef<Tensor> members)>;

/// Runs a collective on operand `operand` of `op` in every group that the
/// devices belong to, and appends one result per device. Fails if a device of
/// a group has not arrived: on a real machine the others would wait forever.
llvm::LogicalResult runGroups(mlir::Operation *op, const DeviceGroups &groups,
                              Devices devices, const DeviceTensors &operands,
                              size_t operand, DeviceTensors &results,
                              GroupFunction function);

Tensors allReduce(llvm::ArrayRef<Tensor> members, BinaryKind kind);
Tensors allGather(llvm::ArrayRef<Tensor> members, int64_t dim);
Tensors reduceScatter(llvm::ArrayRef<Tensor> members, BinaryKind kind,
                      int64_t dim);
Tensors allToAll(llvm::ArrayRef<Tensor> members, int64_t splitDim,
                 int64_t concatDim);

/// Sends along pairs of devices (source, target); other devices get zeros.
llvm::LogicalResult permute(mlir::Operation *op,
                            llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs,
                            Devices devices, const DeviceTensors &operands,
                            DeviceTensors &results);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_OPS_GROUPS_H
