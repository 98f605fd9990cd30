// RUN: shardsmith-opt %s --expand-random-bits --split-input-file --verify-diagnostics

func.func @words(%state: tensor<4xui64>) -> tensor<4xui32> {
  // expected-error @below {{unsupported: a state of 4 ui64; PHILOX, which is the default, has 2 or 3}}
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return %1 : tensor<4xui32>
}

// -----

func.func @floats(%state: tensor<2xui64>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: bits of 'f32'; expected integers of 8 to 64 bits}}
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xf32>)
  return %1 : tensor<4xf32>
}
