// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, element by element.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_ELEMENTWISEUNARYOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_ELEMENTWISEUNARYOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

// The result has the operand's type.
class StableHLO_UnaryOp<string mnemonic, Type tensor,
                        list<Trait> traits = []>
    : StableHLO_InferredOp<mnemonic,
                           traits # [Pure, StableHLO_Elementwise]> {
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let extraClassDefinition = compatible # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferElementwise({location, getOperationName()},
                              adaptor.getOperands(), types);
    }
  }];
}

// Also takes the accuracy its result should have.
class StableHLO_TranscendentalOp<string mnemonic, Type tensor>
    : StableHLO_UnaryOp<mnemonic, tensor> {
  let arguments = (ins
    tensor:$operand,
    OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand, ResultAccuracyAttr());
  }]>];
}

def StableHLO_AbsOp : StableHLO_InferredOp<"abs",
    [Pure, StableHLO_Elementwise]> {
  let summary = "Absolute value; of a complex number, its modulus.";
  let arguments = (ins StableHLO_NumberTensor:$operand);
  let results = (outs StableHLO_NumberTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_CbrtOp
    : StableHLO_TranscendentalOp<"cbrt", StableHLO_FloatTensor> {
  let summary = "Cube root.";
}
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatTensor> {
  let summary = "Least integer not below.";
}
def StableHLO_CosineOp
    : StableHLO_TranscendentalOp<"cosine", StableHLO_FloatOrComplexTensor> {
  let summary = "Cosine.";
}
def StableHLO_CountLeadingZerosOp
    : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntegerTensor> {
  let summary = "Number of zero bits above the highest one bit.";
}
def StableHLO_ExpOp : StableHLO_TranscendentalOp<"exponential",
    StableHLO_FloatOrComplexTensor> {
  let summary = "exp(x).";
}
def StableHLO_Expm1Op : StableHLO_TranscendentalOp<"exponential_minus_one",
    StableHLO_FloatOrComplexTensor> {
  let summary = "exp(x) - 1, exact near zero.";
}
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatTensor> {
  let summary = "Greatest integer not above.";
}
def StableHLO_LogOp
    : StableHLO_TranscendentalOp<"log", StableHLO_FloatOrComplexTensor> {
  let summary = "Natural logarithm.";
}
def StableHLO_Log1pOp : StableHLO_TranscendentalOp<"log_plus_one",
    StableHLO_FloatOrComplexTensor> {
  let summary = "log(1 + x), exact near zero.";
}
def StableHLO_LogisticOp
    : StableHLO_TranscendentalOp<"logistic", StableHLO_FloatOrComplexTensor> {
  let summary = "1 / (1 + exp(-x)).";
}
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_NumberTensor> {
  let summary = "-x.";
}
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_BitwiseTensor> {
  let summary = "Logical on i1, bitwise on integers.";
}
def StableHLO_PopulationCountOp
    : StableHLO_UnaryOp<"popcnt", StableHLO_IntegerTensor> {
  let summary = "Number of one bits.";
}
def StableHLO_RoundOp
    : StableHLO_UnaryOp<"round_nearest_afz", StableHLO_FloatTensor> {
  let summary = "Nearest integer, ties away from zero.";
}
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", StableHLO_FloatTensor> {
  let summary = "Nearest integer, ties to even.";
}
def StableHLO_RsqrtOp
    : StableHLO_TranscendentalOp<"rsqrt", StableHLO_FloatOrComplexTensor> {
  let summary = "1 / sqrt(x).";
}
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_NumberTensor> {
  let summary = "-1, 0 or 1; of a complex number, x / |x|.";
}
def StableHLO_SineOp
    : StableHLO_TranscendentalOp<"sine", StableHLO_FloatOrComplexTensor> {
  let summary = "Sine.";
}
def StableHLO_SqrtOp
    : StableHLO_TranscendentalOp<"sqrt", StableHLO_FloatOrComplexTensor> {
  let summary = "Square root.";
}
def StableHLO_TanOp
    : StableHLO_TranscendentalOp<"tan", StableHLO_FloatOrComplexTensor> {
  let summary = "Tangent.";
}
def StableHLO_TanhOp
    : StableHLO_TranscendentalOp<"tanh", StableHLO_FloatOrComplexTensor> {
  let summary = "Hyperbolic tangent.";
}

// The result's element type follows from the operand's.
class StableHLO_ProjectionOp<string mnemonic, Type operandTensor,
                             Type resultTensor>
    : StableHLO_InferredOp<mnemonic, [Pure, StableHLO_Elementwise]> {
  let arguments = (ins operandTensor:$operand);
  let results = (outs resultTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_RealOp : StableHLO_ProjectionOp<"real",
    StableHLO_FloatOrComplexTensor, StableHLO_FloatTensor> {
  let summary = "Real part.";
}
def StableHLO_ImagOp : StableHLO_ProjectionOp<"imag",
    StableHLO_FloatOrComplexTensor, StableHLO_FloatTensor> {
  let summary = "Imaginary part.";
}
def StableHLO_IsFiniteOp : StableHLO_InferredOp<"is_finite",
    [Pure, StableHLO_Elementwise]> {
  let summary = "Neither infinite nor NaN.";
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_PredicateTensor:$y);
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
}

class StableHLO_ConversionOp<string mnemonic, Type operandTensor,
                             Type resultTensor, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [Pure, StableHLO_Elementwise]> {
  let arguments = (ins operandTensor:$operand);
  let results = (outs resultTensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ConvertOp : StableHLO_ConversionOp<"convert",
    StableHLO_Tensor, StableHLO_Tensor> {
  let summary = "The same values in another element type.";
  let description = [{
    Float to integer truncates; out of range is implementation-defined; to i1
    is `x != 0`.
  }];
  let assemblyFormat = [{
    $operand attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType)>];
  let hasFolder = 1;
}
def StableHLO_UniformQuantizeOp : StableHLO_ConversionOp<"uniform_quantize",
    StableHLO_FloatTensor, StableHLO_TensorOf<[StableHLO_Quantized]>> {
  let summary = "Float to quantized.";
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_UniformDequantizeOp : StableHLO_UnaryOp<"uniform_dequantize",
    StableHLO_TensorOf<[StableHLO_Quantized]>> {
  let summary = "Quantized to float.";
  let results = (outs StableHLO_FloatTensor:$result);
  let extraClassDefinition = compatible;
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_ReducePrecisionOp
    : StableHLO_InferredOp<"reduce_precision",
                           [Pure, StableHLO_Elementwise]> {
  let summary = "Rounds to fewer exponent and mantissa bits.";
  let arguments = (ins
    StableHLO_FloatTensor:$operand, I32Attr:$exponent_bits,
    I32Attr:$mantissa_bits);
  let results = (outs StableHLO_FloatTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=`
      custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
      `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

#endif
