// RUN: shardsmith-opt %s --split-input-file --train --verify-diagnostics

// expected-error @below {{expected a function @main with a body}}
module {
}

// -----

// expected-error @below {{@main has no parameters to train: mark arguments with smith.role = "param"}}
func.func public @main(%x: tensor<f32> {smith.name = "x", smith.role = "batch"}) -> (tensor<f32> {smith.role = "loss"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{@main has 0 results with smith.role = "loss": expected one}}
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{@main has 2 results with smith.role = "loss": expected one}}
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.role = "loss"}, tensor<f32> {smith.role = "loss"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{the loss has type 'tensor<2xf32>': expected a scalar float such as tensor<f32>; reduce it by a sum or a mean}}
func.func public @main(%w: tensor<2xf32> {smith.name = "w", smith.role = "param"}) -> (tensor<2xf32> {smith.role = "loss"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{the loss has type 'tensor<i32>': expected a scalar float}}
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}, %n: tensor<i32> {smith.name = "n", smith.role = "batch"}) -> (tensor<i32> {smith.role = "loss"}) {
  return %n : tensor<i32>
}

// -----

// expected-error @below {{parameter "w" has type 'tensor<2xi32>': only float tensors can be trained; give it the role "constant"}}
func.func public @main(%w: tensor<2xi32> {smith.name = "w", smith.role = "param"}) -> (tensor<2xi32> {smith.role = "loss"}) {
  return %w : tensor<2xi32>
}

// -----

// expected-error @below {{parameter argument 0 has no name: expected a string attribute smith.name}}
func.func public @main(%w: tensor<f32> {smith.role = "param"}) -> (tensor<f32> {smith.role = "loss"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{argument 1 of @main has no smith.role: expected "param", "state", "batch" or "constant"}}
func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}, %x: tensor<f32>) -> (tensor<f32> {smith.role = "loss"}) {
  return %w : tensor<f32>
}

// -----

// Nobody keeps the values of iterations of which nobody knows how many there are.
func.func public @main(
    %w: tensor<f32> {smith.name = "w", smith.role = "param"},
    %go: tensor<i1> {smith.name = "go", smith.role = "batch", smith.batch_dim = -1})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %most = stablehlo.constant dense<0.5> : tensor<f32>
  %h = smith.loop_carry %w loop 0 of 32 number = 0 : tensor<f32>
  %g = smith.loop_carry %go loop 0 of 32 number = 1 : tensor<i1>
  %n = stablehlo.sine %h : tensor<f32>
  %on = stablehlo.compare LT, %n, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %end = smith.loop_next %on for %g decides loop 0 of 32 : tensor<i1>
  // expected-error @below {{unsupported loop between parameter "w" and the loss: its count depends on data, so it has no derivative; stop the gradient, or give one (jax.custom_vjp)}}
  %z = smith.loop_next %n for %h loop 0 of 32 : tensor<f32>
  return %z : tensor<f32>
}
