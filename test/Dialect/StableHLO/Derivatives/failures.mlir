// RUN: shardsmith-opt %s --split-input-file --differentiate --verify-diagnostics
// Ops on the path from a parameter to the loss without a derivative.

func.func public @main(%w: tensor<3x3xf32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported op 'chlo.next_after' between parameter "w" and the loss: it has no derivative}}
  %0 = chlo.next_after %w, %w : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func public @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"}, %n: tensor<i32> {smith.name = "n", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  // expected-error @below {{unsupported op 'stablehlo.while' between parameter "w" and the loss: it has no derivative; loops and branches have one only where the import can unroll or decide them}}
  %0:2 = stablehlo.while(%i = %n, %x = %w) : tensor<i32>, tensor<f32>
   cond {
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %y = stablehlo.multiply %x, %w : tensor<f32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// -----

func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported: no derivative for a reduction with this body: expected one add, maximum, minimum or multiply of the two block arguments}}
  %0 = stablehlo.reduce(%w init: %zero) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %start = stablehlo.slice %w [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %first = stablehlo.reshape %start : (tensor<1xf32>) -> tensor<f32>
  // expected-error @below {{unsupported: no derivative for a reduction other than a sum that starts from a computed value: expected a constant}}
  %0 = stablehlo.reduce(%w init: %first) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"}, %i: tensor<2x1xi32> {smith.name = "i", smith.role = "batch"}, %u: tensor<2xf32> {smith.name = "u", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported: no derivative for a scatter with this body: expected one add, maximum, minimum or multiply of the two block arguments, or the second one}}
  %0 = "stablehlo.scatter"(%w, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // expected-error @below {{unsupported: no derivative for a maximum or minimum over dilated windows}}
  %0 = "stablehlo.reduce_window"(%w, %low) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// What no parameter reaches needs no derivative.
func.func public @main(%w: tensor<3x3xf32> {smith.name = "w", smith.role = "param"}, %x: tensor<3x3xf32> {smith.name = "x", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = chlo.next_after %x, %x : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = stablehlo.multiply %0, %w : tensor<3x3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// All ops without a derivative are named, equal ones together, also those that
// are behind others.

func.func @main(
    %v: tensor<4xf32> {smith.name = "v", smith.role = "param"},
    %w: tensor<4xf32> {smith.name = "w", smith.role = "param"})
    -> (tensor<f32> {smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %x = stablehlo.multiply %v, %w : tensor<4xf32>
  // expected-error @below {{unsupported: no derivative for a maximum or minimum over dilated windows}}
  %0 = "stablehlo.reduce_window"(%x, %lowest) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = chlo.next_after %0, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // expected-error @below {{unsupported op 'chlo.next_after' between parameter "v" and the loss: it has no derivative (and in 1 more place)}}
  %2 = chlo.next_after %1, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
