// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @element(%x: tensor<3xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of float values, but got 'tensor<3xi32>'}}
  %0 = chlo.erf %x : tensor<3xi32> -> tensor<3xi32>
  return
}

// -----

func.func @result(%x: tensor<3xf32>) {
  // expected-error@+1 {{needs results of type ('tensor<3xf32>'), found ('tensor<4xf32>')}}
  %0 = chlo.erf %x : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @operands(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{needs operands of one type, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %0 = chlo.zeta %x, %y : tensor<3xf32>, tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @too_many(%x: tensor<3xf32>) {
  // expected-error@+1 {{selects 4 of 3 elements}}
  %0, %1 = chlo.top_k(%x, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error@+1 {{needs an operand of rank 1 or more, found 'tensor<f32>'}}
  %0, %1 = chlo.top_k(%x, k = 1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @groups(%l: tensor<13x4xf32>, %r: tensor<5x4x8xf32>, %g: tensor<6xi32>) {
  // expected-error@+1 {{has 6 group sizes for 5 groups of rhs}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<5x4x8xf32>, tensor<6xi32>) -> tensor<13x8xf32>
  return
}

// -----

func.func @ragged(%l: tensor<13x4xf32>, %r: tensor<5x4x8xf32>, %g: tensor<5xi32>) {
  // expected-error@+1 {{needs one ragged dimension of lhs, found [0, 1]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<5x4x8xf32>, tensor<5xi32>) -> tensor<13x8xf32>
  return
}

// -----

func.func @no_group(%l: tensor<13x4xf32>, %r: tensor<4x8xf32>, %g: tensor<5xi32>) {
  // expected-error@+1 {{needs one group dimension of rhs, found []}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<4x8xf32>, tensor<5xi32>) -> tensor<13x8xf32>
  return
}

// -----

func.func @contracted(%l: tensor<13x4xf32>, %r: tensor<5x3x8xf32>, %g: tensor<5xi32>) {
  // expected-error@+1 {{pairs contracting dimension 1 of lhs, of size 4, with dimension 0 of rhs, of size 3}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<5x3x8xf32>, tensor<5xi32>) -> tensor<13x8xf32>
  return
}

// -----

func.func @weights(%l: tensor<13x4xf32>, %c: tensor<13x8xf32>, %g: tensor<5xi32>) {
  // expected-error@+1 {{must have result shape [5, 4, 8], found [4, 8]}}
  %0 = "chlo.ragged_dot"(%l, %c, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<13x8xf32>, tensor<5xi32>) -> tensor<4x8xf32>
  return
}
