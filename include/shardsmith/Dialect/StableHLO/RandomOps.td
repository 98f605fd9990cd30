// SPDX-License-Identifier: Apache-2.0
// Random numbers.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_RANDOMOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_RANDOMOPS_TD

include "shardsmith/Dialect/StableHLO/Attributes.td"

def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let summary = "Random numbers from the runtime's own state.";
  let arguments = (ins
    StableHLO_Tensor:$a, StableHLO_Tensor:$b, StableHLO_DimensionTensor:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator",
    [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface,
                                     ["getAsmResultNames"]>]> {
  let summary = "Random bits and the next state, a function of the state.";
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm,
                       StableHLO_Tensor:$initial_state);
  let results = (outs StableHLO_Tensor:$output_state,
                      StableHLO_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
