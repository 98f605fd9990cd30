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
