// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// Tensors without elements have no storage either.

// CHECK: empty-tensors.mlir: completed
// CHECK-NEXT: empty: 0x3xf32
// CHECK-NEXT: sum: 3xf32 = 0, 0, 0
func.func public @main() -> (tensor<0x3xf32> {smith.name = "empty"}, tensor<3xf32> {smith.name = "sum"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %empty = stablehlo.add %x, %x : tensor<0x3xf32>
  %sum = stablehlo.reduce(%empty init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %empty, %sum : tensor<0x3xf32>, tensor<3xf32>
}
