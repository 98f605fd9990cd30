// RUN: shardsmith-interpret %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK: grouped-products.mlir: checks hold (4 of 4)
func.func public @main() {
  // The last row names no matrix, and the third matrix has no row.
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 0x7FC00000]]> : tensor<4x2xf32>
  %g = stablehlo.constant dense<[1, 0, 1, 3]> : tensor<4xi32>
  %w = stablehlo.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]], [[7.0], [7.0]]]> : tensor<3x2x1xf32>
  %y = smith.grouped_dot %x, %g, %w : (tensor<4x2xf32>, tensor<4xi32>, tensor<3x2x1xf32>) -> tensor<4x1xf32>
  %made = stablehlo.constant dense<[[2100.0], [43.0], [6500.0], [0.0]]> : tensor<4x1xf32>
  stablehlo.custom_call @check.expect_eq(%y, %made) {has_side_effect = true} : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()

  %one = stablehlo.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %back = smith.grouped_dot %one, %g, %w transposed : (tensor<4x1xf32>, tensor<4xi32>, tensor<3x2x1xf32>) -> tensor<4x2xf32>
  %dx = stablehlo.constant dense<[[100.0, 1000.0], [2.0, 20.0], [300.0, 3000.0], [0.0, 0.0]]> : tensor<4x2xf32>
  stablehlo.custom_call @check.expect_eq(%back, %dx) {has_side_effect = true} : (tensor<4x2xf32>, tensor<4x2xf32>) -> ()

  %sums = smith.grouped_outer %x, %g, %one : (tensor<4x2xf32>, tensor<4xi32>, tensor<4x1xf32>) -> tensor<3x2x1xf32>
  %dw = stablehlo.constant dense<[[[6.0], [8.0]], [[16.0], [20.0]], [[0.0], [0.0]]]> : tensor<3x2x1xf32>
  stablehlo.custom_call @check.expect_eq(%sums, %dw) {has_side_effect = true} : (tensor<3x2x1xf32>, tensor<3x2x1xf32>) -> ()

  // Each batch has matrices of its own.
  %xs = stablehlo.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %gs = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %ws = stablehlo.constant dense<[[[[3.0]], [[5.0]]], [[[7.0]], [[11.0]]]]> : tensor<2x2x1x1xf32>
  %ys = smith.grouped_dot %xs, %gs, %ws : (tensor<2x1x1xf32>, tensor<2x1xi32>, tensor<2x2x1x1xf32>) -> tensor<2x1x1xf32>
  %each = stablehlo.constant dense<[[[5.0]], [[14.0]]]> : tensor<2x1x1xf32>
  stablehlo.custom_call @check.expect_eq(%ys, %each) {has_side_effect = true} : (tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> ()
  return
}
