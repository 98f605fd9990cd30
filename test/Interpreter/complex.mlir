// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Complex numbers are pairs of real ones, in functions that are called as well;
// a check of them is one of both parts: (1 + 2i)² = -3 + 4i.
// CHECK: complex.mlir: checks hold (2 of 2)
func.func public @main() -> tensor<complex<f32>> {
  %z = call @number() : () -> tensor<complex<f32>>
  %square = stablehlo.multiply %z, %z : tensor<complex<f32>>
  %expected = stablehlo.constant dense<(-3.0, 4.0)> : tensor<complex<f32>>
  stablehlo.custom_call @check.expect_eq(%square, %expected) {has_side_effect = true} : (tensor<complex<f32>>, tensor<complex<f32>>) -> ()
  return %square : tensor<complex<f32>>
}

func.func private @number() -> tensor<complex<f32>> {
  %z = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  return %z : tensor<complex<f32>>
}
