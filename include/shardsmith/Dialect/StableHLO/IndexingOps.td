// SPDX-License-Identifier: Apache-2.0
// Gather and scatter.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_INDEXINGOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_INDEXINGOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_GatherOp : StableHLO_InferredOp<"gather", [Pure]> {
  let summary = "Slices of the operand at computed positions.";
  let description = [{
    Result dimensions not in `offset_dims` are those of `start_indices` without
    `index_vector_dim`; those in `offset_dims` are `slice_sizes` without
    collapsed and batching dimensions. Positions are clamped to lie inside.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_IntegerTensor:$start_indices,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_ScatterOp : StableHLO_Op<"scatter",
    [RecursiveMemoryEffects, RecursivelySpeculatable,
     SameVariadicOperandSize]> {
  let summary = "Combines updates into the inputs at computed positions.";
  let description = [{
    The mirror image of gather. Updates that would land outside are skipped.
    The body takes `(input0 … inputn, update0 … updaten)`.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_IntegerTensor:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
