// SPDX-License-Identifier: Apache-2.0
// The few client-level ops that survive into what JAX exports.

#ifndef SHARDSMITH_DIALECT_CHLO_CHLOOPS_TD
#define SHARDSMITH_DIALECT_CHLO_CHLOOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::shardsmith::chlo";
  let summary = "Client-level ops, text-compatible with what JAX exports.";
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Chlo_Precision : I32EnumAttr<"Precision",
    "how exactly a contraction multiplies", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
      I32EnumAttrCase<"HIGHEST", 2>]> {
  let cppNamespace = "::shardsmith::chlo";
  let genSpecializedAttr = 0;
}
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;

def Chlo_Dims : ArrayRefParameter<"int64_t", "dimensions">;

def Chlo_RaggedDotDimensionNumbersAttr
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "what each dimension of a ragged contraction means";
  let parameters = (ins
    Chlo_Dims:$lhsBatchingDimensions,
    Chlo_Dims:$rhsBatchingDimensions,
    Chlo_Dims:$lhsContractingDimensions,
    Chlo_Dims:$rhsContractingDimensions,
    Chlo_Dims:$lhsRaggedDimensions,
    Chlo_Dims:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

def Chlo_Float : Type<AnyFloat.predicate, "float">;
def Chlo_Complex : Type<
    CPred<"::shardsmith::stablehlo::isComplexElement($_self)">,
    "complex of f32 or f64">;
def Chlo_FloatTensor : RankedTensorOf<[Chlo_Float]>;
def Chlo_FloatOrComplexTensor : RankedTensorOf<[Chlo_Float, Chlo_Complex]>;
def Chlo_Integer : Type<
    CPred<"::shardsmith::stablehlo::isIntegerElement($_self)">, "integer">;
def Chlo_IntegerTensor : RankedTensorOf<[Chlo_Integer]>;
def Chlo_RealTensor : RankedTensorOf<[Chlo_Integer, Chlo_Float]>;
def Chlo_NumberTensor
    : RankedTensorOf<[Chlo_Integer, Chlo_Float, Chlo_Complex]>;

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

def Chlo_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::shardsmith::stablehlo";
}

class Chlo_InferredOp<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic,
         traits # [Pure, InferTypeOpAdaptorWithIsCompatible]> {
  code compatible = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::shardsmith::stablehlo::areCompatibleTypes(inferred, actual);
    }
  }];
  let extraClassDefinition = compatible;
}

// Prints `T -> T`; the result has the operand's type.
class Chlo_UnaryOp<string mnemonic, Type tensor>
    : Chlo_InferredOp<mnemonic, [Chlo_Elementwise]> {
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
  let extraClassDefinition = compatible # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::shardsmith::stablehlo::inferElementwise(
          {location, getOperationName()}, adaptor.getOperands(), types);
    }
  }];
}

def Chlo_AcosOp : Chlo_UnaryOp<"acos", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse cosine.";
}
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic cosine.";
}
def Chlo_AsinOp : Chlo_UnaryOp<"asin", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse sine.";
}
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic sine.";
}
def Chlo_AtanOp : Chlo_UnaryOp<"atan", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse tangent.";
}
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", Chlo_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic tangent.";
}
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", Chlo_FloatTensor> {
  let summary = "Modified Bessel function of order 1, scaled by exp(-|x|).";
}
def Chlo_ConjOp : Chlo_UnaryOp<"conj", Chlo_NumberTensor> {
  let summary = "Complex conjugate.";
}
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", Chlo_FloatOrComplexTensor> {
  let summary = "Hyperbolic cosine.";
}
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", Chlo_FloatTensor> {
  let summary = "Derivative of lgamma.";
}
def Chlo_ErfOp : Chlo_UnaryOp<"erf", Chlo_FloatTensor> {
  let summary = "Error function.";
}
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", Chlo_FloatTensor> {
  let summary = "Inverse of the error function.";
}
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", Chlo_FloatTensor> {
  let summary = "1 - erf(x), exact for large x.";
}
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", Chlo_FloatTensor> {
  let summary = "Logarithm of the absolute value of the gamma function.";
}
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", Chlo_FloatOrComplexTensor> {
  let summary = "Hyperbolic sine.";
}
def Chlo_SquareOp : Chlo_UnaryOp<"square", Chlo_NumberTensor> {
  let summary = "x * x.";
}
def Chlo_TanOp : Chlo_UnaryOp<"tan", Chlo_FloatOrComplexTensor> {
  let summary = "Tangent.";
}

class Chlo_PredicateOp<string mnemonic>
    : Chlo_InferredOp<mnemonic, [Chlo_Elementwise]> {
  let arguments = (ins Chlo_FloatTensor:$operand);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
  let extraClassDefinition = compatible # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(predicateType(context, adaptor.getOperand()));
      return ::mlir::success();
    }
  }];
}

def Chlo_IsInfOp : Chlo_PredicateOp<"is_inf"> {
  let summary = "Infinite of either sign.";
}
def Chlo_IsNegInfOp : Chlo_PredicateOp<"is_neg_inf"> {
  let summary = "Negative infinity.";
}
def Chlo_IsPosInfOp : Chlo_PredicateOp<"is_pos_inf"> {
  let summary = "Positive infinity.";
}

// Two tensors of one type; prints `T, T -> T`.
class Chlo_BinaryOp<string mnemonic, Type tensor>
    : Chlo_InferredOp<mnemonic, [Chlo_Elementwise]> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
      `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDefinition = compatible # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::shardsmith::stablehlo::inferElementwise(
          {location, getOperationName()}, adaptor.getOperands(), types);
    }
  }];
}

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", Chlo_FloatTensor> {
  let summary = "The next representable number from lhs towards rhs.";
}
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", Chlo_FloatTensor> {
  let summary = "Derivative of order lhs of digamma.";
}
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", Chlo_FloatTensor> {
  let summary = "Hurwitz zeta function.";
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

def Chlo_TopKOp : Chlo_InferredOp<"top_k",
    [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The k largest elements of the last dimension, and where.";
  let arguments = (ins Chlo_RealTensor:$operand, I64Attr:$k);
  let results = (outs Chlo_RealTensor:$values, Chlo_IntegerTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict
      `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def Chlo_RaggedDotOp : Op<Chlo_Dialect, "ragged_dot", [Pure]> {
  let summary = "A contraction per group of consecutive rows.";
  let description = [{
    Where the ragged dimension of lhs is decides the form:

    | ragged dimension | operands | result |
    |---|---|---|
    | free | `[m, k] [g, k, n] [g]` | `[m, n]` |
    | contracting | `[m, k] [k, n] [g]` | `[g, m, n]` |
    | batching | `[b, m, k] [b, k, n] [g]` | `[b, m, n]` |
  }];
  let arguments = (ins
    Chlo_NumberTensor:$lhs, Chlo_NumberTensor:$rhs,
    Chlo_IntegerTensor:$group_sizes,
    Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<TypedArrayAttrBase<Chlo_PrecisionAttr,
                                    "precision per operand">>
        :$precision_config);
  let results = (outs Chlo_NumberTensor:$result);
  let hasVerifier = 1;
}

#endif
