// RUN: shardsmith-opt %s --differentiate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Rows: the cotangent times the matrices the other way round. Matrices: outer
// products of rows and cotangents, summed per group.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor<6x3xf32>
// CHECK-SAME:  %[[W:[^:]*]]: tensor<2x3x4xf32>
// CHECK-SAME:  %[[GROUPS:[^:]*]]: tensor<6xi32>
// CHECK-SAME:  %[[G:[^:]*]]: tensor<6x4xf32>
// CHECK-DAG:   %[[DX:.*]] = smith.grouped_dot %[[G]], %[[GROUPS]], %[[W]] transposed : {{.*}} -> tensor<6x3xf32>
// CHECK-DAG:   %[[DW:.*]] = smith.grouped_outer %[[X]], %[[GROUPS]], %[[G]] : {{.*}} -> tensor<2x3x4xf32>
// CHECK:       return %[[DX]], %[[DW]]
func.func public @main(
    %x: tensor<6x3xf32> {smith.name = "x", smith.role = "param"},
    %w: tensor<2x3x4xf32> {smith.name = "w", smith.role = "param"},
    %groups: tensor<6xi32> {smith.name = "groups", smith.role = "constant"},
    %g: tensor<6x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = smith.grouped_dot %x, %groups, %w : (tensor<6x3xf32>, tensor<6xi32>, tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<6x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
