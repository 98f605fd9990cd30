// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens on their way to the ranks of their experts and back. Which row
// goes where is data; all shapes are those of the worst case.
// docs/expert-parallel.md shows where these ops come from.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHROWOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHROWOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/CostInterface.td"
include "shardsmith/Interfaces/DifferentiableInterface.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"
include "shardsmith/Interfaces/PositionOrderInterface.td"

class Smith_RowOp<string mnemonic, list<Trait> traits = []>
    : Op<Smith_Dialect, mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<CostInterface>,
        DeclareOpInterfaceMethods<FactorRuleInterface>], traits)> {
  let hasVerifier = 1;
}

def Smith_PlaceRowsOp : Smith_RowOp<"place_rows"> {
  let summary = "Where each row is among the rows of the rank of its expert";
  let description = [{
    ```mlir
    %slots, %ends = smith.place_rows %experts count = 24
        : tensor<8x12xi32> -> (tensor<8x12xi32>, tensor<4x8x2xi32>)
    ```
    `experts [b, r]` has the expert of each of the r rows of sample b. The
    experts are in parts of n, as `ends [parts, b, n]` says; each part has
    `count` slots for each sample. Rows of a part are one behind the other, in
    the order of their experts and, of one expert, in the order of the rows.
    `slots [b, r]` is `part · count + position`, or −1 for a row whose expert is
    none of the parts'. `ends[p, b, i]` is the number of rows of sample b that
    have the first i + 1 experts of part p.

    Constraint: a sample has no more than `count` rows of one part's experts. A
    row beyond has no slot.
  }];
  let arguments = (ins StaticShapeTensorOf<[I32]>:$experts,
                       ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let results = (outs StaticShapeTensorOf<[I32]>:$slots,
                      StaticShapeTensorOf<[I32]>:$ends);
  let assemblyFormat = [{
    $experts `count` `=` $count attr-dict
    `:` type($experts) `->` `(` type($slots) `,` type($ends) `)`
  }];
}

def Smith_PackRowsOp : Smith_RowOp<"pack_rows",
    [DeclareOpInterfaceMethods<DifferentiableInterface>]> {
  let summary = "Rows at their slots, and zeros in all others";
  let description = [{
    ```mlir
    %packed = smith.pack_rows %rows, %slots
        : (tensor<8x12x32xf32>, tensor<8x12xi32>) -> tensor<4x8x12x32xf32>
    ```
    `packed[p, b, s, h] = rows[b, r, h]` where `slots[b, r] = p · count + s`,
    for the slots of `smith.place_rows`: no two rows of a sample have one slot.
    Rows with a negative slot go nowhere. Its derivative is `smith.unpack_rows`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$rows,
                       StaticShapeTensorOf<[I32]>:$slots);
  let results = (outs AnyStaticShapeTensor:$packed);
  let assemblyFormat = [{
    $rows `,` $slots attr-dict `:` functional-type(operands, results)
  }];
}

def Smith_UnpackRowsOp : Smith_RowOp<"unpack_rows",
    [DeclareOpInterfaceMethods<DifferentiableInterface>]> {
  let summary = "Rows from their slots";
  let description = [{
    ```mlir
    %rows = smith.unpack_rows %packed, %slots
        : (tensor<4x8x12x32xf32>, tensor<8x12xi32>) -> tensor<8x12x32xf32>
    ```
    `rows[b, r, h] = packed[p, b, s, h]` where `slots[b, r] = p · count + s`,
    and zero where the slot is negative. Its derivative is `smith.pack_rows`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$packed,
                       StaticShapeTensorOf<[I32]>:$slots);
  let results = (outs AnyStaticShapeTensor:$rows);
  let assemblyFormat = [{
    $packed `,` $slots attr-dict `:` functional-type(operands, results)
  }];
}

def Smith_LimitRowsOp
    : Smith_RowOp<"limit_rows",
          [SameOperandsAndResultType,
           DeclareOpInterfaceMethods<PositionOrderInterface>]> {
  let summary = "Experts of rows, with no expert more than a number of rows";
  let description = [{
    ```mlir
    %kept = smith.limit_rows %experts among = 16 capacity = 4 counts : tensor<8x12xi32>
    ```
    `kept[b, r]` is `experts[b, r]`, or −1 if `capacity` rows of sample b before
    row r have the same expert. There are `among` experts; numbers that are
    none's stay as they are.

    With `counts` a run counts the rows that are dropped here. `copies` names
    the axes of the mesh along which devices have copies of the same rows, of
    which the first counts: partitioning sets it.

    ```mlir
    %kept = smith.limit_rows %experts among = 16 capacity = 4 zigzag = 2 positions = 4 counts : tensor<8x12xi32>
    ```
    `zigzag = n` says in which order rows are: those of one of the positions are
    neighbours, and positions are in 2n parts as those of `smith.attention`.
    Rows before another one are those before it in the sequence. `positions`
    divides the rows, and 2n divides the positions.
  }];
  let arguments = (ins StaticShapeTensorOf<[I32]>:$experts,
                       ConfinedAttr<I64Attr, [IntPositive]>:$among,
                       ConfinedAttr<I64Attr, [IntPositive]>:$capacity,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$zigzag,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$positions,
                       UnitAttr:$counts,
                       OptionalAttr<StrArrayAttr>:$copies);
  let results = (outs StaticShapeTensorOf<[I32]>:$kept);
  let assemblyFormat = [{
    $experts `among` `=` $among `capacity` `=` $capacity
    (`zigzag` `=` $zigzag^)? (`positions` `=` $positions^)? (`counts` $counts^)? (`copies` $copies^)?
    attr-dict `:` type($experts)
  }];
}

/// A collective of the local program, like those of SmithCollectiveOps.td.
def Smith_ExchangeRowsOp : Op<Smith_Dialect, "exchange_rows",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An all-to-all of exactly the rows that are in use";
  let description = [{
    ```mlir
    %1 = smith.exchange_rows %0 sends %a receives %b over ["expert"] expected = 96
           : tensor<4x2x12x32xf32>, tensor<4x2x2xi32>, tensor<1x8x2xi32>
           -> tensor<1x8x12x32xf32>
    ```
    The first two dimensions of the operand count blocks, an equal number for
    each member one behind the other; member i sends block q of its part j to
    member j, where it is block q of part i. Of a block of `s` slots the first
    ones are rows in use, as many as the last of its numbers in `sends` says
    (`ends` of `smith.place_rows`); `receives` says the same of the result, so
    it is `sends` exchanged before. Only rows in use are sent; other slots of
    the result are zero.

    `expected` is how many rows in use, of all parts together, a plan expects
    the operand to have. A rank is to send that often a row, less the part of
    itself: `expected · (n − 1) / n`.

    Constraints: the mesh has the axes, each at most once; operand and result
    have the same number of blocks, which n divides, of equal shapes; `sends`
    and `receives` have the first two dimensions of operand and result, and one
    more.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input,
                       StaticShapeTensorOf<[I32]>:$sends,
                       StaticShapeTensorOf<[I32]>:$receives,
                       StrArrayAttr:$axes,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$expected);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `sends` $sends `receives` $receives `over` $axes
    `expected` `=` $expected attr-dict
    `:` type($input) `,` type($sends) `,` type($receives) `->` type($result)
  }];
}

#endif
