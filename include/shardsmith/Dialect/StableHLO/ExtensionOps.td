// SPDX-License-Identifier: Apache-2.0
// Tuples, barriers, and calls of what the dialect does not define.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_EXTENSIONOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_EXTENSIONOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"
include "mlir/IR/SymbolInterfaces.td"

def StableHLO_OptimizationBarrierOp
    : StableHLO_Op<"optimization_barrier", [Pure]> {
  let summary = "Identity that nothing may move across.";
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>:$result);
  let assemblyFormat = [{
    attr-dict custom<Barrier>($operand, type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_TupleOp : StableHLO_InferredOp<"tuple", [Pure]> {
  let summary = "Values as one tuple.";
  let arguments = (ins Variadic<StableHLO_Value>:$val);
  let results = (outs StableHLO_Tuple:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}

def StableHLO_GetTupleElementOp
    : StableHLO_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "One value of a tuple.";
  let arguments = (ins
    StableHLO_Tuple:$operand,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_Value:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def StableHLO_CustomCallOp : StableHLO_Op<"custom_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls what is known by a target name only.";
  let arguments = (ins
    Variadic<StableHLO_Value>:$inputs,
    StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
        "::shardsmith::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">
        :$api_version,
    OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "functions">>
        :$called_computations,
    OptionalAttr<StableHLO_Layouts>:$operand_layouts,
    OptionalAttr<StableHLO_Layouts>:$result_layouts,
    OptionalAttr<StableHLO_OutputOperandAliases>:$output_operand_aliases);
  let results = (outs Variadic<StableHLO_Value>);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CompositeOp : StableHLO_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A named function of ops, whose body is `decomposition`.";
  let arguments = (ins
    Variadic<StableHLO_Value>:$inputs,
    StrAttr:$name,
    OptionalAttr<DictionaryAttr>:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<StableHLO_Value>);
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results)
  }];
}

#endif
