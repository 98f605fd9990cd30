// SPDX-License-Identifier: Apache-2.0
// Ops whose result shape is a run-time value. They parse, print and verify so
// that a compiler for static shapes can refuse them by name.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_DYNAMICSHAPEOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_DYNAMICSHAPEOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let summary = "Reshape to a computed shape.";
  let arguments = (ins StableHLO_Tensor:$operand,
                       StableHLO_DimensionTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "Broadcast to a computed shape.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_DimensionTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let summary = "Iota of a computed shape.";
  let arguments = (ins StableHLO_DimensionTensor:$output_shape,
                       I64Attr:$iota_dimension);
  let results = (outs StableHLO_NumberTensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [Pure]> {
  let summary = "Pad by computed amounts.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value,
    StableHLO_DimensionTensor:$edge_padding_low,
    StableHLO_DimensionTensor:$edge_padding_high,
    StableHLO_DimensionTensor:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [Pure]> {
  let summary = "Slice with computed starts, limits and strides.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_DimensionTensor:$start_indices,
    StableHLO_DimensionTensor:$limit_indices,
    StableHLO_DimensionTensor:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicGatherOp : StableHLO_Op<"dynamic_gather", [Pure]> {
  let summary = "Gather of slices of a computed size.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_IntegerTensor:$start_indices,
    StableHLO_IntegerTensor:$slice_sizes,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [Pure]> {
  let summary = "Convolution with computed padding.";
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_DimensionTensor:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_GetDimensionSizeOp
    : StableHLO_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "Size of one dimension, as i32.";
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$dimension);
  let results = (outs StableHLO_IntegerTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict
      `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size", [Pure]> {
  let summary = "The operand with one dimension's dynamic size set.";
  let arguments = (ins StableHLO_Tensor:$operand,
                       StableHLO_IntegerTensor:$size, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
