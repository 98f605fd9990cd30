// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SDY_SDYOPS_TD
#define SHARDSMITH_DIALECT_SDY_SDYOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Sdy/SdyAttributes.td"

class Sdy_Op<string name, list<Trait> traits = []>
    : Op<Sdy_Dialect, name, traits>;

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

def Sdy_MeshOp : Sdy_Op<"mesh", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "A named mesh of devices";
  let description = [{
    ```mlir
    sdy.mesh @mesh = <["data"=4, "model"=8]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

/// `name %0 <@mesh, […]> : type`: the operand, spread in a given way.
class Sdy_ShardedCopyOp<string name>
    : Sdy_Op<name, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp : Sdy_ShardedCopyOp<"sharding_constraint"> {
  let summary = "A value that the user wants spread in a given way";
  let description = [{
    ```mlir
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?} ]> : tensor<8x8xf32>
    ```
    Constraints: the sharding fits mesh and type.
  }];
}

def Sdy_ReshardOp : Sdy_ShardedCopyOp<"reshard"> {
  let summary = "A change of sharding";
  let description = [{
    ```mlir
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"} ]> : tensor<8x8xf32>
    ```
    Constraints: the sharding fits mesh and type.
  }];
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "Values of one group get the same sharding";
  let description = [{
    ```mlir
    sdy.sharding_group %0 group_id=21 : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat =
      "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "Lets shardings pass in one direction only, or not at all";
  let description = [{
    ```mlir
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       Sdy_PropagationDirectionAttr:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` custom<Direction>($allowed_direction)
    attr-dict
    `:` type($result)
  }];
}

def Sdy_DataFlowEdgeOp
    : Sdy_Op<"data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "A value that a loop or another region hands on";
  let description = [{
    Where Shardy's propagation keeps the sharding that a loop's operand, block
    argument and result share.
    ```mlir
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"} ]> : tensor<8xf32>
    ```
    Constraints: the sharding, if any, fits mesh and type.
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp
    : Sdy_Op<"func_data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "A value that a call hands to or from a function";
  let description = [{
    ```mlir
    %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Sdy_ConstantOp : Sdy_Op<"constant",
    [Pure, ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let summary = "A constant that is not merged with equal ones";
  let description = [{
    ```mlir
    %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "Ends a region of this dialect";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

/// A single-block region with one block argument per operand and, by
/// `sdy.return`, one value per result.
class Sdy_RegionOp<string name> : Sdy_Op<name,
    [IsolatedFromAbove, RecursiveMemoryEffects,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Sdy_NamedComputationOp : Sdy_RegionOp<"named_computation"> {
  let summary = "A part of a program, with a name";
  let description = [{
    ```mlir
    %1 = sdy.named_computation<"foo">(%0)
             in_shardings=[<@mesh, [{"b"} ]>] out_shardings=[<@mesh, [{} ]>]
             (%arg1: tensor<8xi32>) {
      sdy.return %arg1 : tensor<8xi32>
    } : (tensor<8xi32>) -> tensor<8xi32>
    ```
    Constraints: operands, block arguments and `in_shardings` agree in number
    and type; so do results, returned values and `out_shardings`.
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
    OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<ShardingList>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<ShardingList>($out_shardings)^)?
    custom<BodyWithArguments>($body) attr-dict
    `:` functional-type($operands, results)
  }];
}

def Sdy_ManualComputationOp : Sdy_RegionOp<"manual_computation"> {
  let summary = "A part of a program written per device over some axes";
  let description = [{
    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"} ]>]
             out_shardings=[<@mesh, [{"a"} ]>] manual_axes={"a"}
             (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    ```
    Block arguments and returned values have the local shape over the manual
    axes.

    Constraints: as many shardings as operands and results; local types are the
    outer types divided by the manual axes that split each dimension; manual
    axes come before others in a dimension.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors,
    Sdy_TensorShardingPerValue:$in_shardings,
    Sdy_TensorShardingPerValue:$out_shardings,
    Sdy_ManualAxes:$manual_axes);
  let assemblyFormat = [{
    `(` $tensors `)`
    `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<BodyWithArguments>($body) attr-dict
    `:` functional-type($tensors, results)
  }];
}

//===----------------------------------------------------------------------===//
// Collectives, on global types
//===----------------------------------------------------------------------===//

class Sdy_CollectiveOp<string name, dag parameters, string parameterFormat>
    : Sdy_Op<name, [Pure, SameOperandsAndResultType]> {
  let arguments = !con(parameters, (ins AnyRankedTensor:$tensor,
                                        Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = parameterFormat # [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

defvar reductionKindGetter = [{
  /// The kind of reduction; sum is not stored.
  ::shardsmith::ReductionKind getReductionKind() {
    ReductionKindAttr kind = getReductionAttr();
    return kind ? kind.getValue() : ::shardsmith::ReductionKind::Sum;
  }
}];

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather",
    (ins Sdy_ListOfAxisRefLists:$gathering_axes), "$gathering_axes"> {
  let summary = "Removes axes from the minor end of dimensions";
  let description = [{
    ```mlir
    %1 = sdy.all_gather [{}, {"x"} ] %0 out_sharding=<@mesh, [{"y"}, {} ]>
           : tensor<16x8xf32>
    ```
    Constraints:
    - one list of axes per dimension;
    - out axes followed by gathered axes are the operand's axes.
  }];
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice",
    (ins Sdy_ListOfAxisRefLists:$slicing_axes), "$slicing_axes"> {
  let summary = "Each device keeps its part: no communication";
  let description = [{
    ```mlir
    %1 = sdy.all_slice [{}, {"x"} ] %0 out_sharding=<@mesh, [{"y"}, {"x"} ]>
           : tensor<16x8xf32>
    ```
    Constraints:
    - one list of axes per dimension;
    - the operand's axes followed by slicing axes are the out axes.
  }];
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all",
    (ins Sdy_AllToAllParamList:$params), "$params"> {
  let summary = "Moves axes from the minor end of one dimension to another";
  let description = [{
    ```mlir
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"} ]>
           : tensor<16x8xf32>
    ```
    Constraints:
    - at least one move; sources and targets are distinct dimensions;
    - out axes of a source followed by the moved axes are the operand's axes;
    - the operand's axes of a target followed by the moved axes are the out
      axes; other dimensions keep theirs.
  }];
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute",
    (ins), ""> {
  let summary = "Exchanges whole shards between devices";
  let description = [{
    ```mlir
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"x"}, {} ]>
           : tensor<16x8xf32>
    ```
    Constraints: every dimension has as many shards before as after; the
    unreduced axes are the same.
  }];
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce",
    (ins OptionalAttr<Sdy_ReductionKind>:$reduction,
         Sdy_AxisRefList:$reduction_axes),
    "custom<ReductionOverAxes>($reduction, $reduction_axes)"> {
  let summary = "Combines partial values over axes";
  let description = [{
    ```mlir
    %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{"x"}, {} ]>
           : tensor<16x8xf32>
    %1 = sdy.all_reduce max {"y"} %0 out_sharding=<@mesh, [{"x"}, {} ]>
           : tensor<16x8xf32>
    ```
    Constraints:
    - the reduced axes split no dimension and are not unreduced afterwards;
    - dimensions keep their axes.
  }];
  let extraClassDeclaration = reductionKindGetter;
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter",
    (ins OptionalAttr<Sdy_ReductionKind>:$reduction,
         Sdy_ListOfAxisRefLists:$reduce_scatter_axes),
    "custom<ReductionOverLists>($reduction, $reduce_scatter_axes)"> {
  let summary = "Combines partial values; each device keeps its part";
  let description = [{
    ```mlir
    %1 = sdy.reduce_scatter [{"x"}, {} ] %0 out_sharding=<@mesh, [{"x"}, {} ]>
           : tensor<16x8xf32>
    ```
    Constraints:
    - one list of axes per dimension;
    - the operand's axes followed by the scattered axes are the out axes;
    - the scattered axes are not unreduced afterwards.
  }];
  let extraClassDeclaration = reductionKindGetter;
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
    (ins Sdy_ListOfAxisRefLists:$axes), "$axes"> {
  let summary = "A shard becomes a whole tensor that is zero elsewhere";
  let description = [{
    ```mlir
    %1 = sdy.sharded_to_unreduced [{"y"}, {} ] %0
           out_sharding=<@mesh, [{}, {} ], unreduced={"y"}> : tensor<16x8xf32>
    ```
    Constraints:
    - one list of axes per dimension;
    - out axes followed by these axes are the operand's axes;
    - the axes are unreduced afterwards.
  }];
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced",
    (ins Sdy_AxisRefList:$axes), "$axes"> {
  let summary = "One device of each group keeps the value, others get zero";
  let description = [{
    ```mlir
    %1 = sdy.replicated_to_unreduced {"x"} %0
           out_sharding=<@mesh, [{}, {} ], unreduced={"x"}> : tensor<16x8xf32>
    ```
    Constraints:
    - the axes neither split a dimension nor were unreduced before;
    - they are unreduced afterwards; dimensions keep their axes.
  }];
}

#endif
