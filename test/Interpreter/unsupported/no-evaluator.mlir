// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0
//
// The op is refused before anything runs, also where it is never reached.

// CHECK: error: 'stablehlo.rng' op cannot be interpreted: no evaluator is known for this op
// CHECK: no-evaluator.mlir: unsupported
func.func public @main() -> tensor<2xf32> {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<2> : tensor<1xi64>
  %x = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
