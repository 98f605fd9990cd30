// SPDX-License-Identifier: Apache-2.0
// Ops of a local program that is being lowered: fused kernels and library
// calls between static buffers.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHKERNELOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHKERNELOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"

def Smith_KernelOp : Op<Smith_Dialect, "kernel",
    [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "A fused group of tensor ops that becomes one loop nest.";
  let description = [{
    The body's ops are evaluated element by element over `domain`; only inputs
    and results exist in memory. `reduced` lists the dimensions of the domain
    that reductions in the body run over:

    * none: every result has the shape of the domain;
    * the trailing ones: a *row kernel*. One row (the trailing dimensions) is
      worked on at a time, so reductions may feed elements of the same row.
      Results are full (shape of the domain) or one value per row;
    * others: results have the kept dimensions.

    A body argument may differ in shape from its input, and a yielded value
    from the result, as long as both have the same number of elements: the
    boundary of a kernel reinterprets row-major buffers.

    ```mlir
    %sum = smith.kernel(%x) domain = [4, 8] reduced = [1]
        : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%row: tensor<4x8xf32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%row init: %zero) applies stablehlo.add
          across dimensions = [1]
          : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      smith.kernel_yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       DenseI64ArrayAttr:$domain,
                       DenseI64ArrayAttr:$reduced);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `domain` `=` $domain `reduced` `=` $reduced
    attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body
  }];
  let hasRegionVerifier = 1;
}

def Smith_KernelYieldOp : Op<Smith_Dialect, "kernel_yield",
    [Pure, Terminator, ParentOneOf<["KernelOp"]>]> {
  let summary = "Results of a kernel.";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Smith_GemmOp : Op<Smith_Dialect, "gemm", [Pure]> {
  let summary = "A batched matrix product on strided views.";
  let description = [{
    result[b…, m, n] = Σ_k lhs[b…, m, k] · rhs[b…, k, n]. `sizes` is
    [m, n, k], `batch` has up to four sizes. Each view is an offset into the
    tensor's row-major elements and one stride per batch dimension, followed
    by those of (m, k), (k, n) and (m, n). Transposes, slices and reshapes
    around a `dot_general` live in these strides.

    Constraints: every view stays inside its tensor; the result's view covers
    every element of the result exactly once.
  }];
  let arguments = (ins
    AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
    DenseI64ArrayAttr:$batch, DenseI64ArrayAttr:$sizes,
    I64Attr:$lhs_offset, DenseI64ArrayAttr:$lhs_strides,
    I64Attr:$rhs_offset, DenseI64ArrayAttr:$rhs_strides,
    DenseI64ArrayAttr:$result_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `[` $lhs_offset `,` $lhs_strides `]` `,`
    $rhs `[` $rhs_offset `,` $rhs_strides `]`
    `batch` `=` $batch `sizes` `=` $sizes `strides` `=` $result_strides
    attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Smith_ExchangeBlocksOp : Op<Smith_Dialect, "exchange_blocks",
    [Pure, SameOperandsAndResultType]> {
  let summary = "Sends block i of the first dimension to member i";
  let description = [{
    The all-to-all of the runtime: the first dimension has one block per
    member of the group, and block i of the result came from member i.
    `smith.all_to_all` is this between two transposes.

    Constraint: the first dimension's size is the number of members.
  }];
  let arguments = (ins AnyRankedTensor:$input, StrArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `over` $axes attr-dict `:` type($result)";
}

#endif
