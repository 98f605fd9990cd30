// SPDX-License-Identifier: Apache-2.0
//
// One step of sorting lines that are too long for one block of threads.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHSORTRUNSOP_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHSORTRUNSOP_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"

def Smith_SortRunsOp : Op<Smith_Dialect, "sort_runs",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Sorts runs of lines, which are made of sorted shorter runs";
  let description = [{
    Each line along the dimension is cut into runs of `to` elements, of which
    the last one may be shorter. Every run becomes sorted by itself, equal
    elements in the order that they had. The tensors are sorted together, by a
    comparator as that of `stablehlo.sort`.

    ```mlir
    %0 = smith.sort_runs(%x) dimension = 0 from = 1 to = 2048
        : (tensor<5000xf32>) -> tensor<5000xf32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %before = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %before : tensor<i1>
    }
    %1 = smith.sort_runs(%0) dimension = 0 from = 2048 to = 4096 : … { … }
    %2 = smith.sort_runs(%1) dimension = 0 from = 4096 to = 8192 : … { … }
    ```

    Constraints: operands and results have the same types, of one shape, and the
    dimension is one of it; the comparator takes two scalars of each operand and
    returns a boolean; `from` and `to` are powers of two, and `from` is 1 or
    half of `to`. Runs of `from` elements are sorted already.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       I64Attr:$dimension,
                       ConfinedAttr<I64Attr, [IntPositive]>:$from,
                       ConfinedAttr<I64Attr, [IntPositive]>:$to);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = [{
    `(` $inputs `)` `dimension` `=` $dimension `from` `=` $from `to` `=` $to
    attr-dict-with-keyword `:` functional-type($inputs, $results) $comparator
  }];
  let hasVerifier = 1;
}

#endif
