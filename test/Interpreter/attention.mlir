// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Equal scores share the value out evenly: the mean of what is seen.
// CHECK: attention.mlir: checks hold (7 of 7)
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
  // The same query in two steps of a ring, at positions 2 and 0; a third key is
  // behind the end of the sequence. Where no key counts so far, the output is no
  // number, and not read any more.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %q1 = stablehlo.constant dense<0.0> : tensor<1x1x1xf32>
  %o0, %l0 = smith.partial_attention %q1, %k, %v at %one, %two of 3 causal scale = 1.0
      : (tensor<1x1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> (tensor<1x1x1xf32>, tensor<1x1xf32>)
  %none = stablehlo.constant dense<0xFF800000> : tensor<1x1xf32>
  stablehlo.custom_call @check.expect_eq(%l0, %none) {has_side_effect = true} : (tensor<1x1xf32>, tensor<1x1xf32>) -> ()
  %o1, %l1 = smith.partial_attention %q1, %k, %v at %one, %zero of 3 after %o0, %l0 causal scale = 1.0
      : (tensor<1x1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>, tensor<1x1x1xf32>, tensor<1x1xf32>) -> (tensor<1x1x1xf32>, tensor<1x1xf32>)
  %three = stablehlo.constant dense<3.0> : tensor<1x1x1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%o1, %three) {has_side_effect = true} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> ()
  // Without the mask the first step sees the value 2, and all together are
  // (2 + 4 + 2) / 3.
  %o2, %l2 = smith.partial_attention %q1, %k, %v at %one, %two of 3 scale = 1.0
      : (tensor<1x1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> (tensor<1x1x1xf32>, tensor<1x1xf32>)
  %o3, %l3 = smith.partial_attention %q1, %k, %v at %one, %zero of 3 after %o2, %l2 scale = 1.0
      : (tensor<1x1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>, tensor<1x1x1xf32>, tensor<1x1xf32>) -> (tensor<1x1x1xf32>, tensor<1x1xf32>)
  %third = stablehlo.constant dense<2.66666675> : tensor<1x1x1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%o3, %third) {has_side_effect = true} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> ()
  return
}
