// SPDX-License-Identifier: Apache-2.0
//
// The product that is added to something.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHADDGEMMOP_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHADDGEMMOP_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"

def Smith_AddGemmOp : Op<Smith_Dialect, "add_gemm",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "A batched matrix product on strided views, added to tensors.";
  let description = [{
    result = sum + scale * product + bias, where the product is that of
    `smith.gemm` with the same operands and attributes. The sum lies as the
    result does. The bias is a vector along n: element j is added to column j of
    every matrix. The scale is one number, by which products of floats of eight
    bits are multiplied. Nothing is rounded to the result's type before all is
    multiplied and added. The buffer plan
    writes the result in the place of the sum where nothing else reads it: a
    term of a sum over micro-batches goes through memory once.

    ```mlir
    %next = smith.add_gemm %x[0, [4, 1]], %y[0, [8, 1]] batch = []
        sizes = [2, 8, 4] strides = [8, 1]
        sum(%so_far : tensor<16xf32>) bias(%b : tensor<8xf32>)
        : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<16xf32>
    ```

    Constraints: those of `smith.gemm`; there is a sum, a bias or a scale; the
    sum is of the result's type; with a bias, n is a dimension of stride 1 in
    the result; the scale is a scalar of f32.
  }];
  let arguments = (ins
    AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
    Optional<AnyRankedTensor>:$sum, Optional<AnyRankedTensor>:$bias,
    Optional<0DTensorOf<[F32]>>:$scale,
    DenseI64ArrayAttr:$batch, DenseI64ArrayAttr:$sizes,
    I64Attr:$lhs_offset, DenseI64ArrayAttr:$lhs_strides,
    I64Attr:$rhs_offset, DenseI64ArrayAttr:$rhs_strides,
    DenseI64ArrayAttr:$result_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `[` $lhs_offset `,` $lhs_strides `]` `,`
    $rhs `[` $rhs_offset `,` $rhs_strides `]`
    `batch` `=` $batch `sizes` `=` $sizes `strides` `=` $result_strides
    (`sum` `(` $sum^ `:` type($sum) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
