// RUN: shardsmith-opt %s --split-input-file --import-derivatives --verify-diagnostics

func.func @main(%x: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{stops a gradient, so it must return its one operand, a tensor}}
  %0 = stablehlo.custom_call @smith.stop_gradient(%x) : (tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{must return its first operands and have one function in called_computations}}
  %0 = stablehlo.custom_call @smith.with_derivative(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  // expected-error@+1 {{must return its first operands}}
  %0:2 = stablehlo.custom_call @smith.with_derivative(%x, %x) {called_computations = [@f]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<4xf32>
}
func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32>
