// RUN: shardsmith-opt %s --keep-counted-loops -split-input-file \
// RUN:   -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%x: tensor<i32>) -> tensor<i32> {
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  // expected-error@+1 {{unsupported loop: not counted, loop value 0, which its condition compares, does not start at a constant integer}}
  %0 = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %c9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>
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
