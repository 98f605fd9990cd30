// SPDX-License-Identifier: Apache-2.0
//
// The product that is added to a sum where it lies.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHADDGEMMOP_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHADDGEMMOP_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"

def Smith_AddGemmOp : Op<Smith_Dialect, "add_gemm",
    [Pure, AllTypesMatch<["sum", "result"]>]> {
  let summary = "A tensor plus a batched matrix product on strided views.";
  let description = [{
    result = sum + product, where the product is that of `smith.gemm` with the
    same operands and attributes and lies as the result does. The buffer plan
    writes the result in the place of the sum where nothing else reads it: a
    term of a sum over micro-batches goes through memory once.

    ```mlir
    %next = smith.add_gemm %so_far, %x[0, [4, 1]], %y[0, [8, 1]] batch = []
        sizes = [2, 8, 4] strides = [8, 1]
        : (tensor<16xf32>, tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<16xf32>
    ```

    Constraints: those of `smith.gemm`.
  }];
  let arguments = (ins
    AnyRankedTensor:$sum, AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
    DenseI64ArrayAttr:$batch, DenseI64ArrayAttr:$sizes,
    I64Attr:$lhs_offset, DenseI64ArrayAttr:$lhs_strides,
    I64Attr:$rhs_offset, DenseI64ArrayAttr:$rhs_strides,
    DenseI64ArrayAttr:$result_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $sum `,` $lhs `[` $lhs_offset `,` $lhs_strides `]` `,`
    $rhs `[` $rhs_offset `,` $rhs_strides `]`
    `batch` `=` $batch `sizes` `=` $sizes `strides` `=` $result_strides
    attr-dict `:` `(` type($sum) `,` type($lhs) `,` type($rhs) `)` `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif
