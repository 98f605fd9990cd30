// RUN: shardsmith-opt %s --split-input-file --differentiate --verify-diagnostics | FileCheck %s

// Rows: the cotangent times transposed matrices, in the same groups. Matrices:
// transposed rows times the cotangent, summed per group.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor<6x3xf32>
// CHECK-SAME:  %[[W:[^:]*]]: tensor<2x3x4xf32>
// CHECK-SAME:  %[[SIZES:[^:]*]]: tensor<2xi32>
// CHECK-SAME:  %[[G:[^:]*]]: tensor<6x4xf32>
// CHECK-DAG:   %[[DX:.*]] = "chlo.ragged_dot"(%[[G]], %[[W]], %[[SIZES]]) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<{{.*}}lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : {{.*}} -> tensor<6x3xf32>
// CHECK-DAG:   %[[DW:.*]] = "chlo.ragged_dot"(%[[X]], %[[G]], %[[SIZES]]) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<{{.*}}lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : {{.*}} -> tensor<2x3x4xf32>
// CHECK:       return %[[DX]], %[[DW]]
func.func public @main(
    %x: tensor<6x3xf32> {smith.name = "x", smith.role = "param"},
    %w: tensor<2x3x4xf32> {smith.name = "w", smith.role = "param"},
    %sizes: tensor<2xi32> {smith.name = "sizes", smith.role = "constant"},
    %g: tensor<6x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "chlo.ragged_dot"(%x, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [],
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
    : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<6x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Matrices with their dimensions in another order: back in that order.
// CHECK-LABEL: @main
// CHECK:       %[[DW:.*]] = "chlo.ragged_dot"{{.*}} -> tensor<2x3x4xf32>
// CHECK:       stablehlo.transpose %[[DW]], dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
func.func public @main(
    %x: tensor<6x3xf32> {smith.name = "x", smith.role = "batch"},
    %w: tensor<4x2x3xf32> {smith.name = "w", smith.role = "param"},
    %sizes: tensor<2xi32> {smith.name = "sizes", smith.role = "constant"},
    %g: tensor<6x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "chlo.ragged_dot"(%x, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [],
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>}>
    : (tensor<6x3xf32>, tensor<4x2x3xf32>, tensor<2xi32>) -> tensor<6x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<6x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
