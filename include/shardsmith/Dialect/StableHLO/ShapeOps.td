// SPDX-License-Identifier: Apache-2.0
// Constants, and ops that move elements without computing on them.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_SHAPEOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_SHAPEOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_ConstantOp : StableHLO_Op<"constant",
    [ConstantLike, Pure, DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                   ["getAsmResultNames"]>]> {
  let summary = "A tensor known at compile time.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let summary = "The index along one dimension.";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs StableHLO_NumberTensor:$output);
  let assemblyFormat = [{
    `dim` `=` $iota_dimension attr-dict `:` type($output)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReshapeOp : StableHLO_Op<"reshape", [Pure]> {
  let summary = "The same elements in row-major order, in another shape.";
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$operand,
                   "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "The same bits in another element type.";
  let description = [{
    Equal widths keep the shape; narrowing adds a minor dimension of the ratio
    of widths, widening removes it.
  }];
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_BroadcastOp : StableHLO_InferredOp<"broadcast", [Pure]> {
  let summary = "Repeats the operand along new major dimensions.";
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict
      `:` functional-type(operands, results)
  }];
}

def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [Pure]> {
  let summary = "Repeats the operand along the dimensions it lacks.";
  let description = [{
    Operand dimension `i` becomes result dimension `broadcast_dimensions[i]`;
    its size is 1 or that of the result.
  }];
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict
      `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
    "::llvm::ArrayRef<int64_t>":$shape,
    "::llvm::ArrayRef<int64_t>":$broadcastDimensions)>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Whether every operand element is read exactly once.
    bool isSimpleReshape();
  }];
}

def StableHLO_TransposeOp : StableHLO_InferredOp<"transpose", [Pure]> {
  let summary = "Result dimension i is operand dimension permutation[i].";
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict
      `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_ReverseOp : StableHLO_InferredOp<"reverse", [Pure]> {
  let summary = "Reverses the order of elements along some dimensions.";
  let arguments = (ins StableHLO_Tensor:$operand,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasFolder = 1;
}

def StableHLO_PadOp : StableHLO_InferredOp<"pad", [Pure]> {
  let summary = "Adds or crops elements at the ends and between elements.";
  let description = [{
    A dimension of size `n` becomes `low + n + max(n - 1, 0) * interior + high`;
    negative `low` and `high` crop.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low
      `,` `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
      attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_SliceOp : StableHLO_InferredOp<"slice", [Pure]> {
  let summary = "Every stride-th element from start up to limit.";
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_DynamicSliceOp : StableHLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "A slice at computed positions, clamped to lie inside.";
  let arguments = (ins
    StableHLO_Tensor:$operand,
    Variadic<StableHLO_IntegerTensor>:$start_indices,
    DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandAndIndices>($operand, $start_indices)
      `sizes` `=` $slice_sizes attr-dict
      `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicUpdateSliceOp
    : StableHLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "The operand with a slice at computed positions replaced.";
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_Tensor:$update,
    Variadic<StableHLO_IntegerTensor>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_ConcatenateOp : StableHLO_InferredOp<"concatenate", [Pure]> {
  let summary = "Tensors one after the other along one dimension.";
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsBeforeKeyword>($inputs) `dim` `=` $dimension attr-dict
      `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

#endif
