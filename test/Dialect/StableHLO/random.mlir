// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @random(%arg0: tensor<f32>, %arg1: tensor<2xi64>, %arg2: tensor<2xui64>, %arg3: tensor<3xui64>) {
    %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x5xf32>
    %output_state, %output = stablehlo.rng_bit_generator %arg2, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>)
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %arg3, algorithm =  PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui64>)
    return
  }
}

