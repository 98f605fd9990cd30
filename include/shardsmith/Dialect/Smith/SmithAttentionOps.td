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
include "shardsmith/Interfaces/PositionOrderInterface.td"

class Smith_AttentionFamilyOp<string mnemonic, list<Trait> traits = []>
    : Op<Smith_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<CostInterface>,
          DeclareOpInterfaceMethods<FactorRuleInterface>] # traits> {
  let hasVerifier = 1;
}

defvar Smith_AttentionTensor = StaticShapeTensorOf<[F32, F16, BF16]>;

def Smith_AttentionOp : Smith_AttentionFamilyOp<"attention",
    [DeclareOpInterfaceMethods<DifferentiableInterface>,
     DeclareOpInterfaceMethods<PositionOrderInterface>]> {
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

    `ring` says how positions may be split over ranks: queries and keys alike,
    and then keys and values travel around the ranks (docs/attention.md).
    Without it keys must be whole on every rank.

    `zigzag = n` says in which order positions are. In 2n parts of one size,
    they are those of part 0, of the last one, of part 1, of the last but one, …
    so that each of n ranks has one part from each end and sees as many keys as
    any other. Queries, keys, values and results are in this order, and the bias
    along its queries; the keys of the bias are in the order of the sequence.

    Constraints: sizes named alike are equal, `lse` is f32, the scale is finite;
    with `ring` there are as many keys as queries; `zigzag` needs `ring`, and
    2n divides the positions.
  }];
  let arguments = (ins Smith_AttentionTensor:$query, Smith_AttentionTensor:$key,
                       Smith_AttentionTensor:$value,
                       Optional<StaticShapeTensorOf<[F32]>>:$bias,
                       UnitAttr:$causal, UnitAttr:$ring,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$zigzag,
                       F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$output,
                      StaticShapeTensorOf<[F32]>:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` $bias^)? (`causal` $causal^)?
    (`ring` $ring^)? (`zigzag` `=` $zigzag^)? `scale` `=` $scale attr-dict `:` functional-type(operands, results)
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
                       UnitAttr:$causal, UnitAttr:$ring,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$zigzag,
                       F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$query_gradient,
                      Smith_AttentionTensor:$key_gradient,
                      Smith_AttentionTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $log_sum_exp `,`
    $output_cotangent (`bias` $bias^)? (`causal` $causal^)?
    (`ring` $ring^)? (`zigzag` `=` $zigzag^)? `scale` `=` $scale attr-dict `:` functional-type(operands, results)
  }];
}

/// Ops of one rank's program.
class Smith_PartialAttentionFamilyOp<string mnemonic>
    : Op<Smith_Dialect, mnemonic, [Pure, AttrSizedOperandSegments]> {
  let hasVerifier = 1;
}

def Smith_PartialAttentionOp : Smith_PartialAttentionFamilyOp<"partial_attention"> {
  let summary = "Attention to some of the keys, added to that to others";
  let description = [{
    ```mlir
    %o1, %lse1 = smith.partial_attention %q, %k, %v at %first_query, %first_key
        of 16 after %o0, %lse0 causal scale = 1.250000e-01 : (…) -> (…)
    ```
    A step of a ring (docs/attention.md). Queries and keys are `queries` and
    `keys` positions of a sequence of `positions`, from `first_query` and
    `first_key` on. A key counts if its position is one of the sequence and,
    with `causal`, at most the query's. Results are those of `smith.attention`
    over the keys that count here and those that `after` has counted: with
    ```
    m    = max(lse0, lse)      lse of the keys that count here, o their output
    lse1 = m + log(exp(lse0 − m) + exp(lse − m))
    o1   = o0 · exp(lse0 − lse1) + o · exp(lse − lse1)
    ```
    A query without any key so far has NaN as its output and −∞ as its
    log-sum-exp; where `lse0` is −∞, `o0` is not read. Rows of queries behind
    the end of the sequence are zeros.

    With `zigzag` these are two parts of the sequence, one as far from its end as
    the other from its begin: the first half begins at `first_query` (or
    `first_key`), and the second ends as many positions before the sequence does.

    Constraints: as those of `smith.attention`; the bias has the keys of this
    step; with `zigzag` there are as many keys as queries, and their number
    divides `positions` and is even; `o0` has the shape of the output in f32, and `lse0` the type of `lse`.
  }];
  let arguments = (ins Smith_AttentionTensor:$query, Smith_AttentionTensor:$key,
                       Smith_AttentionTensor:$value,
                       0DTensorOf<[I32]>:$first_query,
                       0DTensorOf<[I32]>:$first_key,
                       Optional<StaticShapeTensorOf<[F32]>>:$bias,
                       Optional<StaticShapeTensorOf<[F32]>>:$output_before,
                       Optional<StaticShapeTensorOf<[F32]>>:$log_sum_exp_before,
                       ConfinedAttr<I64Attr, [IntPositive]>:$positions,
                       UnitAttr:$causal, UnitAttr:$zigzag, F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$output,
                      StaticShapeTensorOf<[F32]>:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value `at` $first_query `,` $first_key
    `of` $positions (`bias` $bias^)?
    (`after` $output_before^ `,` $log_sum_exp_before)? (`causal` $causal^)?
    (`zigzag` $zigzag^)? `scale` `=` $scale attr-dict `:` functional-type(operands, results)
  }];
}

def Smith_PartialAttentionGradientOp
    : Smith_PartialAttentionFamilyOp<"partial_attention_gradient"> {
  let summary = "What some of the keys contribute to the gradients of attention";
  let description = [{
    ```mlir
    %dq1, %dk1, %dv1 = smith.partial_attention_gradient %q, %k, %v, %o, %lse,
        %do at %first_query, %first_key of 16 queries_after %dq0
        keys_after %dk0, %dv0 causal scale = 1.250000e-01 : (…) -> (…)
    ```
    A step of a ring (docs/attention.md): the gradients of
    `smith.attention_gradient` for the pairs of queries and keys that count in
    `smith.partial_attention`, added to those that come in. `o` and `lse` are of
    all keys. Rows behind the end of the sequence are zeros. `zigzag` is as in
    `smith.partial_attention`.

    Constraints: as those of `smith.attention_gradient`, but gradients may be in
    f32; those that come in are f32 and have the shapes of the results.
  }];
  let arguments = (ins Smith_AttentionTensor:$query, Smith_AttentionTensor:$key,
                       Smith_AttentionTensor:$value,
                       Smith_AttentionTensor:$output,
                       StaticShapeTensorOf<[F32]>:$log_sum_exp,
                       Smith_AttentionTensor:$output_cotangent,
                       0DTensorOf<[I32]>:$first_query,
                       0DTensorOf<[I32]>:$first_key,
                       Optional<StaticShapeTensorOf<[F32]>>:$bias,
                       Optional<StaticShapeTensorOf<[F32]>>:$query_before,
                       Optional<StaticShapeTensorOf<[F32]>>:$key_before,
                       Optional<StaticShapeTensorOf<[F32]>>:$value_before,
                       ConfinedAttr<I64Attr, [IntPositive]>:$positions,
                       UnitAttr:$causal, UnitAttr:$zigzag, F64Attr:$scale);
  let results = (outs Smith_AttentionTensor:$query_gradient,
                      Smith_AttentionTensor:$key_gradient,
                      Smith_AttentionTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $log_sum_exp `,`
    $output_cotangent `at` $first_query `,` $first_key `of` $positions
    (`bias` $bias^)? (`queries_after` $query_before^)?
    (`keys_after` $key_before^ `,` $value_before)? (`causal` $causal^)?
    (`zigzag` $zigzag^)? `scale` `=` $scale attr-dict `:` functional-type(operands, results)
  }];
}

#endif
