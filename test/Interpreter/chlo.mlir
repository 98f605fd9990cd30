// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: chlo.mlir: checks hold (6 of 6)
func.func public @main() {
  // NaN counts as the largest; of equal elements the first comes first.
  %x = stablehlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [5.0, 0x7FC00000, 0x7F800000, 0.0]]> : tensor<2x4xf32>
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %top = stablehlo.constant dense<[[3.0, 3.0], [0x7FC00000, 0x7F800000]]> : tensor<2x2xf32>
  %where = stablehlo.constant dense<[[1, 2], [1, 2]]> : tensor<2x2xi32>
  stablehlo.custom_call @check.expect_eq(%values, %top) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%indices, %where) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()

  %lhs = stablehlo.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %rhs = stablehlo.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %ragged = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x1xf32>, tensor<2x1x1xf32>, tensor<2xi64>) -> tensor<3x1xf32>
  %products = stablehlo.constant dense<[[10.0], [200.0], [300.0]]> : tensor<3x1xf32>
  stablehlo.custom_call @check.expect_close(%ragged, %products) {has_side_effect = true} : (tensor<3x1xf32>, tensor<3x1xf32>) -> ()

  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %erf = chlo.erf %half : tensor<f64> -> tensor<f64>
  %back = chlo.erf_inv %erf : tensor<f64> -> tensor<f64>
  stablehlo.custom_call @check.expect_close(%back, %half) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  %erf_known = stablehlo.constant dense<0.52049987781304653768> : tensor<f64>
  stablehlo.custom_call @check.expect_close(%erf, %erf_known) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  %square = chlo.square %half : tensor<f64> -> tensor<f64>
  %quarter = stablehlo.constant dense<0.25> : tensor<f64>
  stablehlo.custom_call @check.expect_eq(%square, %quarter) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  return
}
