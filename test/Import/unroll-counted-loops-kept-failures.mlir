// RUN: shardsmith-opt %s --unroll-counted-loops=keep-above=4 -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  // expected-error@+1 {{unsupported loop: not counted, the bound in its condition is not a constant integer; it cannot stay a loop, as it has values inside that are no tensors of static shapes}}
  %0:3 = stablehlo.while(%i = %c0, %h = %x, %m = %n) : tensor<i32>, tensor<?xf32>, tensor<i32>
   cond {
    %t = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %s = stablehlo.add %h, %h : tensor<?xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %s, %m : tensor<i32>, tensor<?xf32>, tensor<i32>
  }
  return %0#1 : tensor<?xf32>
}
