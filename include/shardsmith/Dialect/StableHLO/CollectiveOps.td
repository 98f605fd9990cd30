// SPDX-License-Identifier: Apache-2.0
// Communication between devices, by replica groups.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_COLLECTIVEOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_COLLECTIVEOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_AllReduceOp : StableHLO_Op<"all_reduce"> {
  let summary = "Each device gets the combination of its group's operands.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands, StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let summary = "Each device gets its group's operands, concatenated.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands, I64Attr:$all_gather_dim,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_ReduceScatterOp : StableHLO_Op<"reduce_scatter"> {
  let summary = "Each device gets its part of the group's combination.";
  let arguments = (ins
    StableHLO_Tensor:$operand, I64Attr:$scatter_dimension,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_AllToAllOp : StableHLO_Op<"all_to_all"> {
  let summary = "Splits one dimension over the group, concatenates another.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands, I64Attr:$split_dimension,
    I64Attr:$concat_dimension, I64Attr:$split_count,
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<StableHLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_CollectivePermuteOp : StableHLO_Op<"collective_permute"> {
  let summary = "Sends along pairs (source, target); others get zeros.";
  let arguments = (ins
    StableHLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_CollectiveBroadcastOp
    : StableHLO_Op<"collective_broadcast"> {
  let summary = "Each device gets the operand of its group's first device.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

class StableHLO_DeviceIdOp<string mnemonic>
    : StableHLO_InferredOp<mnemonic, [Pure]> {
  let arguments = (ins);
  let results = (outs TensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
  let extraClassDefinition = compatible # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>, Adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(deviceIdType(context));
      return ::mlir::success();
    }
  }];
}
def StableHLO_PartitionIdOp : StableHLO_DeviceIdOp<"partition_id"> {
  let summary = "Position of this device among the partitions.";
}
def StableHLO_ReplicaIdOp : StableHLO_DeviceIdOp<"replica_id"> {
  let summary = "Position of this device among the replicas.";
}

class StableHLO_HostTransferOp<string mnemonic> : StableHLO_Op<mnemonic>;

def StableHLO_SendOp : StableHLO_HostTransferOp<"send"> {
  let summary = "Sends tensors through a channel.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs, StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token);
}
def StableHLO_RecvOp : StableHLO_HostTransferOp<"recv"> {
  let summary = "Receives tensors from a channel, then a token.";
  let arguments = (ins
    StableHLO_Token:$token, StableHLO_ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_Value>);
}
def StableHLO_InfeedOp : StableHLO_HostTransferOp<"infeed"> {
  let summary = "Reads tensors from the host, then a token.";
  let arguments = (ins
    StableHLO_Token:$token,
    DefaultValuedOptionalAttr<StrAttr, "\"\"">:$infeed_config,
    OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<StableHLO_Value>);
}
def StableHLO_OutfeedOp : StableHLO_HostTransferOp<"outfeed"> {
  let summary = "Writes tensors to the host.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs, StableHLO_Token:$token,
    DefaultValuedOptionalAttr<StrAttr, "\"\"">:$outfeed_config);
  let results = (outs StableHLO_Token);
}

def StableHLO_CreateTokenOp : StableHLO_Op<"create_token", [Pure]> {
  let summary = "A token that nothing precedes.";
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_AfterAllOp : StableHLO_Op<"after_all", [Pure]> {
  let summary = "A token that follows all its operands.";
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($result)";
}

def StableHLO_AsyncStartOp : StableHLO_Op<"async_start"> {
  let summary = "Starts a collective.";
  let arguments = (ins Variadic<StableHLO_Value>:$operands);
  let results = (outs StableHLO_FutureType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def StableHLO_AsyncDoneOp : StableHLO_Op<"async_done"> {
  let summary = "Waits for a started collective.";
  let arguments = (ins StableHLO_FutureType:$future);
  let results = (outs Variadic<StableHLO_Value>);
  let hasVerifier = 1;
}

#endif
