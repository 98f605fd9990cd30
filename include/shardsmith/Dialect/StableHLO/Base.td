// SPDX-License-Identifier: Apache-2.0
// The dialect, its types, and the classes that every op definition uses.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_BASE_TD
#define SHARDSMITH_DIALECT_STABLEHLO_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::shardsmith::stablehlo";
  let summary = "Tensor programs, text-compatible with what JAX exports.";
  let description = [{
    Whole-tensor operations without implicit broadcasting, as described by the
    public StableHLO specification. The dialect holds syntax, verification,
    type inference and folding; factor rules, derivatives, costs and evaluation
    are attached to its ops from outside.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class StableHLO_Type<string name, string typeMnemonic>
    : TypeDef<StableHLO_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def StableHLO_TokenType : StableHLO_Type<"Token", "token"> {
  let summary = "orders ops that have side effects";
}

def StableHLO_FutureType : StableHLO_Type<"Future", "future"> {
  let summary = "results of an op that was started and not yet awaited";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

//===----------------------------------------------------------------------===//
// Element and tensor types
//===----------------------------------------------------------------------===//

def StableHLO_Predicate : TypeAlias<I1, "i1">;

def StableHLO_Integer : Type<
    CPred<"::shardsmith::stablehlo::isIntegerElement($_self)">,
    "signless or unsigned integer of 2, 4, 8, 16, 32 or 64 bits">;

def StableHLO_Float : Type<AnyFloat.predicate, "float">;

def StableHLO_Complex : Type<
    CPred<"::shardsmith::stablehlo::isComplexElement($_self)">,
    "complex of f32 or f64">;

def StableHLO_Quantized : Type<
    CPred<"::llvm::isa<::mlir::quant::QuantizedType>($_self)">, "quantized">;

class StableHLO_TensorOf<list<Type> elements> : RankedTensorOf<elements>;

def StableHLO_Element : Type<
    CPred<"::shardsmith::stablehlo::isTensorElement($_self)">,
    "i1, integer, float, complex or quantized">;

def StableHLO_Tensor : StableHLO_TensorOf<[StableHLO_Element]>;
def StableHLO_PredicateTensor : StableHLO_TensorOf<[StableHLO_Predicate]>;
def StableHLO_IntegerTensor : StableHLO_TensorOf<[StableHLO_Integer]>;
def StableHLO_BitwiseTensor
    : StableHLO_TensorOf<[StableHLO_Predicate, StableHLO_Integer]>;
def StableHLO_FloatTensor
    : StableHLO_TensorOf<[StableHLO_Float, StableHLO_Quantized]>;
def StableHLO_FloatOrComplexTensor : StableHLO_TensorOf<[
    StableHLO_Float, StableHLO_Complex, StableHLO_Quantized]>;
def StableHLO_ComplexTensor : StableHLO_TensorOf<[StableHLO_Complex]>;
def StableHLO_NumberTensor : StableHLO_TensorOf<[
    StableHLO_Integer, StableHLO_Float, StableHLO_Complex,
    StableHLO_Quantized]>;

// Sizes and positions may also be of type `index`, as shape programs write.
def StableHLO_DimensionTensor
    : StableHLO_TensorOf<[StableHLO_Integer, Index]>;

def StableHLO_Token
    : Type<CPred<"::llvm::isa<::shardsmith::stablehlo::TokenType>($_self)">,
           "token">,
      BuildableType<
          "$_builder.getType<::shardsmith::stablehlo::TokenType>()">;
def StableHLO_Value : Type<
    CPred<"::shardsmith::stablehlo::isValueType($_self)">,
    "tensor, token or tuple of these">;
def StableHLO_Tuple : Type<
    And<[CPred<"::llvm::isa<::mlir::TupleType>($_self)">,
         StableHLO_Value.predicate]>,
    "tuple of tensors and tokens", "::mlir::TupleType">;

//===----------------------------------------------------------------------===//
// Traits and op classes
//===----------------------------------------------------------------------===//

// Element i of every result depends on element i of every operand alone.
def StableHLO_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::shardsmith::stablehlo";
}

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits>;

// An op whose result types follow from operands and attributes:
// `inferReturnTypes(context, location, adaptor, types)` states every
// constraint, so that builders and the verifier share one set of rules.
class StableHLO_InferredOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [InferTypeOpAdaptorWithIsCompatible]> {
  code compatible = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::shardsmith::stablehlo::areCompatibleTypes(inferred, actual);
    }
  }];
  let extraClassDefinition = compatible;
}

#endif
