// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%k: tensor<3xui64>) {
  // expected-error@+1 {{with THREE_FRY needs a state of 2 numbers, found 3}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%k: tensor<2xi32>) {
  // expected-error@+1 {{needs a state of ui64 in one dimension, found 'tensor<2xi32>'}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xi32>) -> (tensor<2xi32>, tensor<4xui32>)
  return
}

// -----

func.func @case(%k: tensor<2xui64>) {
  // expected-error@+1 {{needs the next state to be of type 'tensor<2xui64>', found 'tensor<3xui64>'}}
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @case(%a: tensor<1xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{needs scalar bounds of 'f32', found 'tensor<1xf32>'}}
  %0 = stablehlo.rng %a, %a, %n, distribution = NORMAL : (tensor<1xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @case(%a: tensor<f32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{needs shape to be a vector of 1 entries, found 'tensor<2xi32>'}}
  %0 = stablehlo.rng %a, %a, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<?xf32>
  return
}
