// RUN: not shardsmith-interpret %s 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: error: check failed: 1 of 2 elements differ; largest difference 1 absolute, inf relative; first at [1]: 2 instead of 3
// CHECK: check-failed.mlir: check failed (1 of 2)
func.func public @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  stablehlo.custom_call @check.expect_eq(%x, %y) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
}
