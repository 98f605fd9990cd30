// SPDX-License-Identifier: Apache-2.0
//
// Time as a mesh axis. A step in micro-batches is written in two forms:
//
//   folded     straight-line code. What depends on `smith.micro_batch_index`
//              is there once per micro-batch, `smith.accumulate` adds it up.
//   outlined   `smith.repeat` calls a function once per micro-batch.
//
// The folded form is what layouts are planned and partitioned in: an op more
// is all there is to see. docs/micro-batches.md shows both.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHMICROBATCHOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHMICROBATCHOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Sdy/SdyAttributes.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

def Smith_MicroBatchIndexOp : Op<Smith_Dialect, "micro_batch_index", [Pure]> {
  let summary = "The number of the micro-batch that is worked on";
  let description = [{
    ```mlir
    %i = smith.micro_batch_index of 4 : tensor<i32>
    ```
    From 0 to the count less one.

    Constraints: all of a function have the same count.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "`of` $count attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Smith_AccumulateOp : Op<Smith_Dialect, "accumulate",
    [Pure, SameOperandsAndResultType,
     DeclareOpInterfaceMethods<FactorRuleInterface>]> {
  let summary = "The combination of a value over all micro-batches";
  let description = [{
    ```mlir
    %sum = smith.accumulate %part kind = sum : tensor<4x8xf32>
    ```
    The all-reduce of the temporal axis. Floats narrower than 32 bits are to be
    converted before, so that no addition rounds to them.

    Sums are linear in the operand: partial sums over axes of the mesh stay
    partial, and are reduced once per step.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, Sdy_ReductionKind:$kind);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `kind` `=` `` $kind attr-dict `:` type($result)";
}

def Smith_RepeatOp : Op<Smith_Dialect, "repeat",
    [Pure, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function once per micro-batch";
  let description = [{
    ```mlir
    %sum = smith.repeat @micro_batch count = 4 with(%w, %x) carry(%zero)
        : (tensor<8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
    The function takes the number of the micro-batch (tensor<i32>, from 0), the
    values in `with`, which are the same in every call, and those in `carry`; it
    returns what the next call gets for the latter. The results are those of the
    last call.

    With `while` there is a call as long as the carried value at that position
    is true, perhaps none, and the count is a guess, for prices alone:
    ```mlir
    %x, %end = smith.repeat @solve count = 32 while 1 with(%a) carry(%x0, %go)
    ```

    Constraints: the function's type is the one that follows from this; the
    value that decides is one boolean.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       ConfinedAttr<I64Attr, [IntPositive]>:$count,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$decider,
                       Variadic<AnyStaticShapeTensor>:$shared,
                       Variadic<AnyStaticShapeTensor>:$carried);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $callee `count` `=` $count (`while` $decider^)? `with` `(` $shared `)`
    `carry` `(` $carried `)` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The type that the function must have.
    ::mlir::FunctionType getCalleeType();
  }];
}

def Smith_RunOp : Op<Smith_Dialect, "run",
    [AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a function for one micro-batch";
  let description = [{
    ```mlir
    %y, %sum1 = smith.run @forward_0 micro_batch = 3 with(%w, %x) carry(%sum)
        : (tensor<8xf32>, tensor<4x8xf32>, tensor<f32>)
        -> (tensor<4x8xf32>, tensor<f32>)
    ```
    The function takes the number of the micro-batch (tensor<i32>), the values in
    `with` and those in `carry`. It returns new values, then one of the type of
    each carried value, which takes its place in memory.

    Constraints: the function's type is the one that follows from this.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$micro_batch,
                       Variadic<AnyStaticShapeTensor>:$inputs,
                       Variadic<AnyStaticShapeTensor>:$carried);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $callee `micro_batch` `=` $micro_batch `with` `(` $inputs `)`
    `carry` `(` $carried `)` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The type that the function must have.
    ::mlir::FunctionType getCalleeType();
  }];
}

def Smith_SendOp : Op<Smith_Dialect, "send", []> {
  let summary = "Sends a tensor to a rank of another stage";
  let description = [{
    ```mlir
    smith.send %y to 1 along "pipeline" : tensor<4x8xf32>
    ```
    To the rank whose coordinate along the axis is the given one and whose other
    coordinates are this rank's. Does not wait for it. Messages of one rank to
    another arrive in the order in which they were sent.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       StrAttr:$axis);
  let assemblyFormat =
      "$input `to` $to `along` $axis attr-dict `:` type($input)";
}

def Smith_ReceiveOp : Op<Smith_Dialect, "receive", []> {
  let summary = "Waits for a tensor from a rank of another stage";
  let description = [{
    ```mlir
    %y = smith.receive from 0 along "pipeline" : tensor<4x8xf32>
    ```
    The next message of the rank whose coordinate along the axis is the given
    one and whose other coordinates are this rank's.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       StrAttr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "`from` $from `along` $axis attr-dict `:` type($result)";
}

#endif
