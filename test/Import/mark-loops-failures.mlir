// RUN: shardsmith-opt %s --mark-loops -split-input-file \
// RUN:   -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  // expected-error@+1 {{unsupported loop: it has values inside that are no tensors of static shapes}}
  %0:2 = stablehlo.while(%i = %n, %h = %x) : tensor<i32>, tensor<?xf32>
   cond {
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %s = stablehlo.add %h, %h : tensor<?xf32>
    stablehlo.return %i, %s : tensor<i32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
  // expected-error@+1 {{unsupported branch: it has values inside that are no tensors of static shapes}}
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %x : tensor<?xf32>
    stablehlo.return %s : tensor<?xf32>
  }, {
    stablehlo.return %x : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<70368744177664xf32>) -> tensor<70368744177664xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2000 = stablehlo.constant dense<2000> : tensor<i32>
  // expected-error@+1 {{unsupported: a 'tensor<70368744177664xf32>' of every iteration is more than 72057594037927936 (2^56) elements; export the model with smaller sizes}}
  %0:2 = stablehlo.while(%i = %c0, %h = %x) : tensor<i32>, tensor<70368744177664xf32>
   cond {
    %t = stablehlo.compare LT, %i, %c2000, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.sine %h : tensor<70368744177664xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<70368744177664xf32>
  }
  return %0#1 : tensor<70368744177664xf32>
}

// -----

func.func @f(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
  // expected-error@+1 {{unsupported branch: it has values inside that are no tensors of static shapes}}
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.sine %x : tensor<?xf32>
    stablehlo.return %s : tensor<?xf32>
  }, {
    stablehlo.return %x : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @f(%t: !stablehlo.token, %p: tensor<i1>) -> !stablehlo.token {
  // expected-error@+1 {{unsupported branch: it has values inside that are no tensors of static shapes}}
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %t : !stablehlo.token
  }, {
    stablehlo.return %t : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  return %r : !stablehlo.token
}
