// SPDX-License-Identifier: Apache-2.0
//
// Counted loops in straight-line code. A loop's body is there once; these ops
// mark where values enter it, go around and leave it. What depends on a marker
// of a loop is done once per iteration, all else once. docs/loops.md shows
// them at work.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHLOOPOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHLOOPOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/CostInterface.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

/// A marker: `loop` is the number of its loop in the function, `count` how
/// often the body is done; of a loop that a `smith.loop_next` decides, how often
/// it is thought to be done.
class Smith_LoopOp<string mnemonic, list<Trait> traits = []>
    : Op<Smith_Dialect, mnemonic, traits> {
  dag loopArguments = (ins ConfinedAttr<I64Attr,
                               [IntNonNegative, IntMaxValue<2147483647>]>:$loop,
                           ConfinedAttr<I64Attr, [IntPositive]>:$count);
}

class Smith_SplitLoopOp<string mnemonic, list<Trait> traits = []>
    : Smith_LoopOp<mnemonic,
        [DeclareOpInterfaceMethods<CostInterface>,
         DeclareOpInterfaceMethods<FactorRuleInterface>] # traits>;

def Smith_LoopIndexOp : Smith_LoopOp<"loop_index", [Pure]> {
  let summary = "The number of the iteration of a loop";
  let description = [{
    ```mlir
    %i = smith.loop_index loop 0 of 512 : tensor<i32>
    ```
    From 0 to the count less one.
  }];
  let arguments = loopArguments;
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "`loop` $loop `of` $count attr-dict `:` type($result)";
}

def Smith_LoopEnterOp
    : Smith_SplitLoopOp<"loop_enter", [Pure, SameOperandsAndResultType]> {
  let summary = "A value from outside of a loop, in an iteration";
  let description = [{
    ```mlir
    %w1 = smith.loop_enter %w loop 0 of 1 : tensor<8xf32>
    ```
    The operand. What is computed of the result is done in the loop; what needs
    nothing of a loop is done before it.
  }];
  let arguments = !con((ins AnyStaticShapeTensor:$input), loopArguments);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `loop` $loop `of` $count attr-dict `:` type($result)
  }];
}

def Smith_LoopCarryOp
    : Smith_SplitLoopOp<"loop_carry", [Pure, SameOperandsAndResultType]> {
  let summary = "A value that goes around a loop, at the begin of an iteration";
  let description = [{
    ```mlir
    %h = smith.loop_carry %h0 loop 0 of 512 number = 1 : tensor<4x8xf32>
    ```
    The operand in the first iteration; in every other one what
    `smith.loop_next` got at the end of the iteration before.

    Constraints: a `smith.loop_next` is for the result; no other value of the
    loop has the number.
  }];
  let arguments = !con((ins AnyStaticShapeTensor:$start), loopArguments,
                       (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$number));
  let results = (outs AnyStaticShapeTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $start `loop` $loop `of` $count `number` `=` $number attr-dict
    `:` type($result)
  }];
}

/// Not `Pure`: if nobody reads the last value, iterations still do.
def Smith_LoopNextOp
    : Smith_SplitLoopOp<"loop_next",
        [SameOperandsAndResultType, MemoryEffects<[MemWrite]>]> {
  let summary = "A value that goes around a loop, at the end of an iteration";
  let description = [{
    ```mlir
    %h512 = smith.loop_next %h1 for %h loop 0 of 512 : tensor<4x8xf32>
    ```
    `%h` is what the next iteration gets, the result is the value after the last
    iteration. Both operands and the result have one layout.

    With `decides` the value says whether there is an iteration: the loop ends
    as soon as it is false at the begin of one, which may be the first. The
    count then is a guess, for prices alone; but for 1, which is a branch: done
    once or not at all, as the value is false then.
    ```mlir
    %end = smith.loop_next %goes_on for %g decides loop 1 of 32 : tensor<i1>
    ```

    Constraints: the second operand is the result of a `smith.loop_carry` of
    this loop, of which there is no other `smith.loop_next`; what decides is one
    boolean, for a branch the constant false.
  }];
  let arguments = !con((ins AnyStaticShapeTensor:$next,
                            AnyStaticShapeTensor:$carry), loopArguments,
                       (ins UnitAttr:$decides));
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $next `for` $carry (`decides` $decides^)? `loop` $loop `of` $count attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Smith_LoopSliceOp : Smith_SplitLoopOp<"loop_slice", [Pure]> {
  let summary = "The element of a stacked value that an iteration works on";
  let description = [{
    ```mlir
    %x = smith.loop_slice %xs loop 0 of 512
           : tensor<512x4x8xf32> -> tensor<4x8xf32>
    ```
    Iteration i takes element i of dimension 0, with `reversed` element
    count − 1 − i.

    Constraints: dimension 0 has as many elements as there are iterations; the
    result is the operand without it.
  }];
  let arguments = !con((ins AnyStaticShapeTensor:$input), loopArguments,
                       (ins UnitAttr:$reversed));
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `loop` $loop `of` $count (`reversed` $reversed^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Smith_LoopStackOp : Smith_SplitLoopOp<"loop_stack", [Pure]> {
  let summary = "The values of all iterations of a loop";
  let description = [{
    ```mlir
    %ys = smith.loop_stack %y loop 0 of 512
            : tensor<4x8xf32> -> tensor<512x4x8xf32>
    ```
    The operand of iteration i is element i of dimension 0, with `reversed`
    element count − 1 − i. The result is known after the loop.

    Constraints: as those of `smith.loop_slice`, with operand and result
    exchanged.
  }];
  let arguments = !con((ins AnyStaticShapeTensor:$input), loopArguments,
                       (ins UnitAttr:$reversed));
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `loop` $loop `of` $count (`reversed` $reversed^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
