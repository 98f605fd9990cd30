// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: error: 'stablehlo.custom_call' op cannot be interpreted: custom call @mystery is not known
// CHECK: custom-call.mlir: unsupported
func.func public @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y = stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
