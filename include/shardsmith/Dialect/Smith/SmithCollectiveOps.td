// SPDX-License-Identifier: Apache-2.0
//
// Collectives of the local program. Types are those of one device's tensors.
//
// Axes are names of axes of the module's mesh. Devices that differ only in
// their coordinates along the axes form a group of `n` members, n being the
// product of the axis sizes; a member's position is c_a · size(b) + c_b for
// axes [a, b] (major to minor).

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHCOLLECTIVEOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHCOLLECTIVEOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "shardsmith/Dialect/Sdy/SdyAttributes.td"
include "shardsmith/Dialect/Smith/SmithAttributes.td"

class Smith_Op<string name, list<Trait> traits = []>
    : Op<Smith_Dialect, name, traits>;

/// A collective is `Pure` to the compiler: all devices run the same program in
/// the same order, so removing an unused one removes it on all devices.
class Smith_CollectiveOp<string name, list<Trait> traits = []>
    : Smith_Op<name, !listconcat([Pure,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)>;

def Smith_AllReduceOp
    : Smith_CollectiveOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "Every member gets the combination of all members' tensors";
  let description = [{
    ```mlir
    %1 = smith.all_reduce %0 over ["tensor"] kind = sum : tensor<4x8xf32>
    ```
    Constraints: the mesh has the axes, each at most once.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrArrayAttr:$axes,
                       Sdy_ReductionKind:$kind);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $axes `kind` `=` `` $kind attr-dict `:` type($result)
  }];
}

def Smith_AllGatherOp : Smith_CollectiveOp<"all_gather"> {
  let summary = "Concatenates the members' tensors along a dimension";
  let description = [{
    ```mlir
    %1 = smith.all_gather %0 over ["data"] dim = 0
           : tensor<4x8xf32> -> tensor<16x8xf32>
    ```
    Constraints:
    - the mesh has the axes, each at most once;
    - the result is the operand with dimension `dim` multiplied by `n`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrArrayAttr:$axes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $axes `dim` `=` $dim attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Smith_ReduceScatterOp : Smith_CollectiveOp<"reduce_scatter"> {
  let summary = "Member i gets part i of the combination";
  let description = [{
    ```mlir
    %1 = smith.reduce_scatter %0 over ["data"] dim = 0 kind = sum
           : tensor<16x8xf32> -> tensor<4x8xf32>
    ```
    Constraints:
    - the mesh has the axes, each at most once;
    - the result is the operand with dimension `dim` divided by `n`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrArrayAttr:$axes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
                       Sdy_ReductionKind:$kind);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $axes `dim` `=` $dim `kind` `=` `` $kind attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Smith_AllToAllOp : Smith_CollectiveOp<"all_to_all"> {
  let summary = "Splits along one dimension, exchanges, joins along another";
  let description = [{
    ```mlir
    %1 = smith.all_to_all %0 over ["data"] split_dim = 1 concat_dim = 0
           : tensor<4x8xf32> -> tensor<16x2xf32>
    ```
    Member i sends part j of its tensor along `split_dim` to member j and
    joins what it gets along `concat_dim` in the order of the members.

    Constraints:
    - the mesh has the axes, each at most once;
    - `split_dim` and `concat_dim` differ;
    - the result is the operand with `split_dim` divided and `concat_dim`
      multiplied by `n`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrArrayAttr:$axes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$split_dim,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$concat_dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $axes `split_dim` `=` $split_dim
    `concat_dim` `=` $concat_dim attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Smith_CollectivePermuteOp
    : Smith_CollectiveOp<"collective_permute", [SameOperandsAndResultType]> {
  let summary = "Device `target` gets the tensor of device `source`";
  let description = [{
    ```mlir
    %1 = smith.collective_permute %0 pairs = [[0, 1], [1, 0], [2, 2]]
           : tensor<16x2xf32>
    ```
    Pairs are (source, target) of device numbers in the whole mesh. A device
    that is no target gets zeros. `over ["data"]` says that source and target
    differ along these axes only.

    Constraints: device numbers exist; sources are unique; targets are unique;
    the mesh has the axes, each at most once; the ends of a pair agree in their
    coordinates along all other axes.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input,
                       DenseI64ArrayAttr:$pairs,
                       OptionalAttr<StrArrayAttr>:$axes);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input (`over` $axes^)? `pairs` `=` custom<Pairs>($pairs) attr-dict
    `:` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getPairCount() { return getPairs().size() / 2; }
    int64_t getSource(int64_t pair) { return getPairs()[2 * pair]; }
    int64_t getTarget(int64_t pair) { return getPairs()[2 * pair + 1]; }
  }];
}

def Smith_ShardIndexOp : Smith_CollectiveOp<"shard_index"> {
  let summary = "This device's position in its group";
  let description = [{
    ```mlir
    %i = smith.shard_index over ["data"] : tensor<i32>
    ```
    Constraints: the mesh has the axes, each at most once.
  }];
  let arguments = (ins StrArrayAttr:$axes);
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "`over` $axes attr-dict `:` type($result)";
}

#endif
