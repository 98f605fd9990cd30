// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: complex.mlir":[[# @LINE + 5]]:8): error: unsupported: 'stablehlo.maximum' on complex numbers; compute with real and imaginary parts there
// CHECK: complex.mlir: unsupported
func.func public @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %z = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>
  %t = stablehlo.maximum %z, %z : tensor<2xcomplex<f32>>
  %r = stablehlo.real %t : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
