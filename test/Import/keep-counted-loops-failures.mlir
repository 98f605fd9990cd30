// RUN: shardsmith-opt %s --keep-counted-loops -verify-diagnostics
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
