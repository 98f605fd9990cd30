// SPDX-License-Identifier: Apache-2.0
// Functions of two and three tensors, element by element.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_ELEMENTWISEBINARYOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_ELEMENTWISEBINARYOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

// Both operands and the result have one type.
class StableHLO_BinaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : StableHLO_InferredOp<mnemonic,
                           traits # [Pure, StableHLO_Elementwise]> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
      `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs),
                                            type($result))
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

def StableHLO_AddOp : StableHLO_BinaryOp<"add", StableHLO_Tensor,
    [Commutative]> {
  let summary = "Sum; logical or on i1.";
  let hasFolder = 1;
}
def StableHLO_SubtractOp
    : StableHLO_BinaryOp<"subtract", StableHLO_NumberTensor> {
  let summary = "Difference.";
  let hasFolder = 1;
}
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", StableHLO_Tensor,
    [Commutative]> {
  let summary = "Product; logical and on i1.";
  let hasFolder = 1;
}
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", StableHLO_NumberTensor> {
  let summary = "Quotient; of integers, truncated towards zero.";
  let hasFolder = 1;
}
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", StableHLO_Tensor,
    [Commutative]> {
  let summary = "The larger; logical or on i1; NaN if either is.";
  let hasFolder = 1;
}
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", StableHLO_Tensor,
    [Commutative]> {
  let summary = "The smaller; logical and on i1; NaN if either is.";
  let hasFolder = 1;
}
def StableHLO_PowOp : StableHLO_BinaryOp<"power", StableHLO_NumberTensor> {
  let summary = "lhs raised to rhs.";
}
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", StableHLO_NumberTensor> {
  let summary = "Remainder of division, with the sign of the dividend.";
  let hasFolder = 1;
}
def StableHLO_Atan2Op
    : StableHLO_BinaryOp<"atan2", StableHLO_FloatOrComplexTensor> {
  let summary = "Angle of the point (rhs, lhs).";
}
def StableHLO_AndOp : StableHLO_BinaryOp<"and", StableHLO_BitwiseTensor,
    [Commutative]> {
  let summary = "Logical on i1, bitwise on integers.";
  let hasFolder = 1;
}
def StableHLO_OrOp : StableHLO_BinaryOp<"or", StableHLO_BitwiseTensor,
    [Commutative]> {
  let summary = "Logical on i1, bitwise on integers.";
  let hasFolder = 1;
}
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", StableHLO_BitwiseTensor,
    [Commutative]> {
  let summary = "Logical on i1, bitwise on integers.";
  let hasFolder = 1;
}
def StableHLO_ShiftLeftOp
    : StableHLO_BinaryOp<"shift_left", StableHLO_IntegerTensor> {
  let summary = "Shift left; 0 where the distance is the width or more.";
  let hasFolder = 1;
}
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntegerTensor> {
  let summary = "Shift right filling with zeros.";
  let hasFolder = 1;
}
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntegerTensor> {
  let summary = "Shift right filling with the sign.";
  let hasFolder = 1;
}

def StableHLO_ComplexOp : StableHLO_InferredOp<"complex",
    [Pure, StableHLO_Elementwise]> {
  let summary = "A complex number of its real and imaginary parts.";
  let arguments = (ins StableHLO_FloatTensor:$lhs, StableHLO_FloatTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict
      `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}

def StableHLO_CompareOp : StableHLO_InferredOp<"compare",
    [Pure, StableHLO_Elementwise]> {
  let summary = "A relation of two tensors, as i1.";
  let description = [{
    NaN is unordered: `NE` is true and every other relation false. The type
    `TOTALORDER` orders all floats, -NaN < -inf < -0 < +0 < +inf < +NaN.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredicateTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict
      `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "ComparisonDirection":$direction), [{
    build($_builder, $_state, lhs, rhs, direction, ComparisonTypeAttr());
  }]>];
  let hasFolder = 1;
}

def StableHLO_ClampOp : StableHLO_InferredOp<"clamp",
    [Pure, StableHLO_Elementwise]> {
  let summary = "max(min, min(operand, max)); bounds may be scalars.";
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand,
                       StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
      `:` custom<SameOperandsAndResultType>(type($min), type($operand),
                                            type($max), type($result))
  }];
}

def StableHLO_SelectOp : StableHLO_InferredOp<"select",
    [Pure, StableHLO_Elementwise]> {
  let summary = "on_true where pred, else on_false; pred may be a scalar.";
  let arguments = (ins StableHLO_PredicateTensor:$pred,
                       StableHLO_Tensor:$on_true, StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict
      `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false),
                               type($result))
  }];
  let hasFolder = 1;
}

#endif
