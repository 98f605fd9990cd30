// SPDX-License-Identifier: Apache-2.0
// Contractions, convolutions, reductions, windows, sorting, linear algebra and
// normalisation.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_STRUCTUREDOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_STRUCTUREDOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let summary = "Product of vectors and matrices (older form of dot_general).";
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<StableHLO_PrecisionConfig>
                           :$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs
      (`,` `precision` `=` custom<PrecisionList>($precision_config)^)?
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let summary = "Contraction of two tensors over pairs of dimensions.";
  let description = [{
    The result has the batching dimensions (in the order of lhs), the free
    dimensions of lhs, and the free dimensions of rhs. Sums accumulate in the
    result's element type.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config,
    OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers)
      `` custom<DotOptions>($precision_config, $algorithm) attr-dict
      `:` functional-type(operands, results)
  }];
  // Infers the shape; elements are those of lhs unless given.
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
    "DotDimensionNumbersAttr":$dimensionNumbers,
    CArg<"::mlir::ArrayAttr", "{}">:$precisionConfig,
    CArg<"::mlir::Type", "{}">:$elementType)>];
  let hasVerifier = 1;
}

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let summary = "Slides a kernel over padded and dilated input.";
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=`
      custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
      custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                               $rhs_dilation, $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReduceOp : StableHLO_Op<"reduce",
    [RecursiveMemoryEffects, RecursivelySpeculatable,
     SameVariadicOperandSize]> {
  let summary = "Combines the elements along some dimensions.";
  let description = [{
    The body takes `(a0 … an, b0 … bn)` and returns `n + 1` scalars. The order
    is unspecified, so it should be associative and `init_values` its identity.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  // Infers the result types; the caller fills the body.
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs,
    "::mlir::ValueRange":$initValues,
    "::llvm::ArrayRef<int64_t>":$dimensions)>];
}

def StableHLO_ReduceWindowOp : StableHLO_Op<"reduce_window",
    [RecursiveMemoryEffects, RecursivelySpeculatable,
     SameVariadicOperandSize]> {
  let summary = "A reduction per position of a sliding window.";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Adds each source element to the element its window selects.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_Tensor:$source,
    StableHLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SortOp : StableHLO_Op<"sort",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Sorts tensors together along one dimension.";
  let description = [{
    The comparator takes two scalars per input, `(a0, b0, a1, b1, …)`, and
    says whether the first comes before the second.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_MapOp : StableHLO_Op<"map",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Applies a function of scalars to all elements.";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_CholeskyOp : StableHLO_InferredOp<"cholesky", [Pure]> {
  let summary = "Cholesky factor of a batch of positive definite matrices.";
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict
      `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def StableHLO_TriangularSolveOp
    : StableHLO_InferredOp<"triangular_solve", [Pure]> {
  let summary = "Solves op(a) x = b, or x op(a) = b, for triangular a.";
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a, StableHLO_FloatOrComplexTensor:$b,
    BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
}

def StableHLO_FftOp : StableHLO_InferredOp<"fft", [Pure]> {
  let summary = "Discrete Fourier transform of the minor dimensions.";
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$operand, StableHLO_FftTypeAttr:$fft_type,
    DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict
      `:` functional-type(operands, results)
  }];
}

def StableHLO_BatchNormTrainingOp
    : StableHLO_InferredOp<"batch_norm_training", [Pure]> {
  let summary = "Normalises by the batch's mean and variance.";
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$output, StableHLO_FloatTensor:$batch_mean,
    StableHLO_FloatTensor:$batch_var);
}

def StableHLO_BatchNormInferenceOp
    : StableHLO_InferredOp<"batch_norm_inference", [Pure]> {
  let summary = "Normalises by a given mean and variance.";
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$offset, StableHLO_FloatTensor:$mean,
    StableHLO_FloatTensor:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs StableHLO_FloatTensor:$result);
}

def StableHLO_BatchNormGradOp
    : StableHLO_InferredOp<"batch_norm_grad", [Pure]> {
  let summary = "Gradients of batch_norm_training.";
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$mean, StableHLO_FloatTensor:$variance,
    StableHLO_FloatTensor:$grad_output, F32Attr:$epsilon,
    I64Attr:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$grad_operand, StableHLO_FloatTensor:$grad_scale,
    StableHLO_FloatTensor:$grad_offset);
}

#endif
