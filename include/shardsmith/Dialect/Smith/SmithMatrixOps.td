// SPDX-License-Identifier: Apache-2.0
//
// Factors of matrices. The last two dimensions of the operand are the
// matrices, those before them a batch.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHMATRIXOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHMATRIXOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/CostInterface.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

class Smith_MatrixOp<string mnemonic> : Op<Smith_Dialect, mnemonic,
    [Pure, DeclareOpInterfaceMethods<CostInterface>,
     DeclareOpInterfaceMethods<FactorRuleInterface>]> {
  let arguments = (ins AnyStaticShapeTensor:$matrix);
  let assemblyFormat =
      "$matrix attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smith_QrOp : Smith_MatrixOp<"qr"> {
  let summary = "Orthogonal and upper triangular factors";
  let description = [{
    ```mlir
    %q, %r = smith.qr %a : (tensor<4x6x3xf32>) -> (tensor<4x6x3xf32>, tensor<4x3x3xf32>)
    ```
    `a = q · r`, with as many columns of `q` as the smaller size of `a`, which
    are orthogonal, and `r` upper triangular. Signs are those that LAPACK's
    reflections give.
  }];
  let results = (outs AnyStaticShapeTensor:$q, AnyStaticShapeTensor:$r);
}

def Smith_EighOp : Smith_MatrixOp<"eigh"> {
  let summary = "Eigenvalues and eigenvectors of symmetric matrices";
  let description = [{
    ```mlir
    %w, %v = smith.eigh %a : (tensor<4x3x3xf32>) -> (tensor<4x3xf32>, tensor<4x3x3xf32>)
    ```
    `a · v = v · diagonal(w)`, with the eigenvalues in ascending order and one
    eigenvector per column. Of `a` the lower triangle is read. An eigenvector
    may have either sign.
  }];
  let results = (outs AnyStaticShapeTensor:$values,
                      AnyStaticShapeTensor:$vectors);
}

def Smith_LuOp : Smith_MatrixOp<"lu"> {
  let summary = "Triangular factors of matrices, rows in another order";
  let description = [{
    ```mlir
    %f, %pivots, %rows = smith.lu %a
        : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x3xi32>, tensor<4x3xi32>)
    ```
    Row `rows[i]` of `a` is row `i` of `l · u`. `f` holds `u`, and below its
    diagonal `l`, whose diagonal is one. In step `i` rows `i` and `pivots[i]`
    were exchanged; both count from zero.
  }];
  let results = (outs AnyStaticShapeTensor:$factors,
                      StaticShapeTensorOf<[I32]>:$pivots,
                      StaticShapeTensorOf<[I32]>:$rows);
}

#endif
