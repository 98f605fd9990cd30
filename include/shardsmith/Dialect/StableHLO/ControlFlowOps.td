// SPDX-License-Identifier: Apache-2.0
// Loops, branches and the terminator of all bodies.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_CONTROLFLOWOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_CONTROLFLOWOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "The values a body yields.";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def StableHLO_WhileOp : StableHLO_Op<"while",
    [RecursiveMemoryEffects, DeclareOpInterfaceMethods<OpAsmOpInterface,
                                 ["getAsmBlockArgumentNames"]>]> {
  let summary = "Repeats the body while the condition holds.";
  let description = [{
    Condition and body take the loop's values; the condition returns
    `tensor<i1>`, the body the next values, of the same types.
  }];
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_IfOp : StableHLO_Op<"if",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "One of two branches, which capture values from outside.";
  let arguments = (ins StableHLO_PredicateTensor:$pred);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_CaseOp : StableHLO_Op<"case",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "The branch of an index; the last one if out of range.";
  let arguments = (ins StableHLO_IntegerTensor:$index);
  let results = (outs Variadic<StableHLO_Value>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
