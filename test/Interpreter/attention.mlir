// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Equal scores share the value out evenly: the mean of what is seen.
// CHECK: attention.mlir: checks hold (4 of 4)
func.func public @main() {
  %q = stablehlo.constant dense<0.0> : tensor<1x2x1xf32>
  %k = stablehlo.constant dense<[[3.0], [5.0]]> : tensor<2x1xf32>
  %v = stablehlo.constant dense<[[2.0], [4.0]]> : tensor<2x1xf32>
  %o, %l = smith.attention %q, %k, %v causal scale = 1.0
      : (tensor<1x2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<1x2x1xf32>, tensor<1x2xf32>)
  %mean = stablehlo.constant dense<[[[2.0], [3.0]]]> : tensor<1x2x1xf32>
  stablehlo.custom_call @check.expect_eq(%o, %mean) {has_side_effect = true} : (tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> ()
  // Scores of the second query: p = ½ each, ds = p (v − mean) = −½, ½, and so
  // dq = −½ · 3 + ½ · 5. Queries are zero, and so are the gradients of keys.
  %g = stablehlo.constant dense<1.0> : tensor<1x2x1xf32>
  %dq, %dk, %dv = smith.attention_gradient %q, %k, %v, %o, %l, %g causal scale = 1.0
      : (tensor<1x2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x2x1xf32>, tensor<1x2xf32>, tensor<1x2x1xf32>)
      -> (tensor<1x2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  %queries = stablehlo.constant dense<[[[0.0], [1.0]]]> : tensor<1x2x1xf32>
  %keys = stablehlo.constant dense<0.0> : tensor<2x1xf32>
  %values = stablehlo.constant dense<[[1.5], [0.5]]> : tensor<2x1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%dq, %queries) {has_side_effect = true} : (tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%dk, %keys) {has_side_effect = true} : (tensor<2x1xf32>, tensor<2x1xf32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%dv, %values) {has_side_effect = true} : (tensor<2x1xf32>, tensor<2x1xf32>) -> ()
  return
}
