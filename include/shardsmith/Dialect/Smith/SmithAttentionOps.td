// SPDX-License-Identifier: Apache-2.0
//
// Attention as one op, so that a target can compute it block by block and never
// holds all scores. docs/attention.md shows where these ops come from.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHATTENTIONOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHATTENTIONOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/CostInterface.td"
include "shardsmith/Interfaces/DifferentiableInterface.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

class Smith_AttentionFamilyOp<string mnemonic, list<Trait> traits = []>
    : Op<Smith_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<CostInterface>,
          DeclareOpInterfaceMethods<FactorRuleInterface>] # traits> {
  let hasVerifier = 1;
}

defvar Smith_AttentionTensor = StaticShapeTensorOf<[F32, F16, BF16]>;

def Smith_AttentionOp : Smith_AttentionFamilyOp<"attention",
    [DeclareOpInterfaceMethods<DifferentiableInterface>]> {
  let summary = "Softmax of scaled products with keys, times values";
  let description = [{
    ```mlir
    %o, %lse = smith.attention %q, %k, %v bias %b scale = 1.250000e-01
        : (tensor<4x2x3x64x16xf32>, tensor<4x2x80x16xf32>,
           tensor<4x2x80x24xf32>, tensor<4x1x1x1x80xf32>)
        -> (tensor<4x2x3x64x24xf32>, tensor<4x2x3x64xf32>)
    ```
    ```
    s[b, g, q, k] = scale · Σ_d query[b, g, q, d] · key[b, k, d] + bias[b, g, q, k]
    lse[b, g, q]  = log Σ_k exp(s[b, g, q, k])
    o[b, g, q, v] = Σ_k exp(s[b, g, q, k] − lse[b, g, q]) · value[b, k, v]
    ```
    `b` stands for any number of leading dimensions, such as samples and heads
    of keys; `g` counts the heads of queries that share a head of keys. Sums
    are made in f32, and results rounded once.

    With `causal` key `k` counts for query `q` only if `k ≤ q`; then there are
    as many keys as queries.

    `bias` has the dimensions of `s`; one of size 1 repeats. A bias of −∞ hides
    a key. A query that sees no key at all has NaN as its output, as a softmax
    written out has. The derivative takes the bias as constant: no gradient
    flows to it.

    Constraints: sizes named alike are equal, `lse` is f32, the scale is finite.
  }];
  let arguments = (ins Smith_AttentionTensor:$query, Smith_AttentionTensor:$key,
                       Smith_AttentionTensor:$value,
                       Optional<StaticShapeTensorOf<[F32]>>:$bias,
                       UnitAttr:$causal, F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$output,
                      StaticShapeTensorOf<[F32]>:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` $bias^)? (`causal` $causal^)?
    `scale` `=` $scale attr-dict `:` functional-type(operands, results)
  }];
}

def Smith_AttentionGradientOp : Smith_AttentionFamilyOp<"attention_gradient"> {
  let summary = "Gradients of the queries, keys and values of an attention";
  let description = [{
    ```mlir
    %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %lse, %do causal
        scale = 1.250000e-01 : (…) -> (…)
    ```
    The derivative of `smith.attention` for a cotangent `do` of its output `o`.
    Probabilities are computed again from the log-sum-exp, so nothing of the
    size of all scores is kept from the forward pass:
    ```
    p  = exp(s − lse)               dv[b, k, v] = Σ_gq p · do[b, g, q, v]
    ds = p · (do · valueᵀ − Σ_v do · o)
    dq[b, g, q, d] = scale · Σ_k ds · key[b, k, d]
    dk[b, k, d]    = scale · Σ_gq ds · query[b, g, q, d]
    ```
    Constraints: as those of `smith.attention`; each gradient has the type of
    what it is the gradient of, and `do` the shape of `o`.
  }];
  let arguments = (ins Smith_AttentionTensor:$query, Smith_AttentionTensor:$key,
                       Smith_AttentionTensor:$value,
                       Smith_AttentionTensor:$output,
                       StaticShapeTensorOf<[F32]>:$log_sum_exp,
                       Smith_AttentionTensor:$output_cotangent,
                       Optional<StaticShapeTensorOf<[F32]>>:$bias,
                       UnitAttr:$causal, F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$query_gradient,
                      Smith_AttentionTensor:$key_gradient,
                      Smith_AttentionTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $log_sum_exp `,`
    $output_cotangent (`bias` $bias^)? (`causal` $causal^)?
    `scale` `=` $scale attr-dict `:` functional-type(operands, results)
  }];
}

#endif
