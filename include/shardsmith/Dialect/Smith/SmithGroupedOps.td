// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with one of several matrices, which each row names. This is
// what a mixture of experts computes: rows are tokens, matrices are experts.
// docs/expert-parallel.md shows where these ops come from.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHGROUPEDOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHGROUPEDOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/CostInterface.td"
include "shardsmith/Interfaces/DifferentiableInterface.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

class Smith_GroupedOp<string mnemonic> : Op<Smith_Dialect, mnemonic,
    [Pure, DeclareOpInterfaceMethods<CostInterface>,
     DeclareOpInterfaceMethods<DifferentiableInterface>,
     DeclareOpInterfaceMethods<FactorRuleInterface>]> {
  let hasVerifier = 1;
}

def Smith_GroupedDotOp : Smith_GroupedOp<"grouped_dot"> {
  let summary = "Products of rows with the matrices that they name";
  let description = [{
    ```mlir
    %y = smith.grouped_dot %x, %group, %w
           : (tensor<128x32xf32>, tensor<128xi32>, tensor<4x32x48xf32>)
           -> tensor<128x48xf32>
    ```
    `y[r, n] = Σ_k x[r, k] · w[group[r], k, n]`. Rows may be in any order. A
    row whose group is negative, or not less than the number of matrices, has
    none: its result is zero, whatever the row holds.

    With `transposed` the matrices are `[groups, n, k]`.

    Leading dimensions that all four tensors have are batches, each with
    matrices of its own: `x [b, r, k]`, `group [b, r]`, `w [b, g, k, n]`.

    Constraints: `group` has the dimensions of `x` but the last; the sizes of
    batches, rows and of what is summed over are equal.
  }];
  let arguments = (ins AnyStaticShapeTensor:$rows,
                       StaticShapeTensorOf<[I32]>:$groups,
                       AnyStaticShapeTensor:$matrices,
                       UnitAttr:$transposed);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $rows `,` $groups `,` $matrices (`transposed` $transposed^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Leading dimensions with matrices of their own.
    unsigned getBatchRank();
  }];
}

def Smith_GroupedOuterOp : Smith_GroupedOp<"grouped_outer"> {
  let summary = "Per group the sum of outer products of its rows";
  let description = [{
    ```mlir
    %dw = smith.grouped_outer %x, %group, %dy
            : (tensor<128x32xf32>, tensor<128xi32>, tensor<128x48xf32>)
            -> tensor<4x32x48xf32>
    ```
    `dw[g, k, n] = Σ_r x[r, k] · dy[r, n]` over the rows whose group is `g`:
    the derivative of `smith.grouped_dot` for its matrices. Rows without a
    group count nowhere, and a group without rows gives zeros.

    Leading dimensions that all four tensors have are batches.

    Constraints: as those of `smith.grouped_dot`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$lhs,
                       StaticShapeTensorOf<[I32]>:$groups,
                       AnyStaticShapeTensor:$rhs);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $groups `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Leading dimensions with matrices of their own.
    unsigned getBatchRank();
  }];
}

#endif
