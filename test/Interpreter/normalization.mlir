// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: normalization.mlir: checks hold (7 of 7)
func.func public @main() {
  // Feature 0 holds 1 and 3 (mean 2, variance 1), feature 1 holds 0 and 4
  // (mean 2, variance 4).
  %x = stablehlo.constant dense<[[1.0, 0.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %training:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %output = stablehlo.constant dense<[[-1.0, -9.0], [1.0, 11.0]]> : tensor<2x2xf32>
  %mean = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%training#0, %output) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  stablehlo.custom_call @check.expect_close(%training#1, %mean) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_close(%training#2, %variance) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()

  %inference = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  stablehlo.custom_call @check.expect_close(%inference, %output) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()

  // With x̂ = ∓1 in both features and g = [[1, 2], [3, 2]]: the part of g that
  // a shift or a scaling of x makes is all of it.
  %g = stablehlo.constant dense<[[1.0, 2.0], [3.0, 2.0]]> : tensor<2x2xf32>
  %gradient:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %no_gradient = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  %grad_scale = stablehlo.constant dense<[2.0, 0.0]> : tensor<2xf32>
  %grad_offset = stablehlo.constant dense<[4.0, 4.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%gradient#0, %no_gradient) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  stablehlo.custom_call @check.expect_close(%gradient#1, %grad_scale) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_close(%gradient#2, %grad_offset) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
