// RUN: shardsmith-opt %s --split-micro-batches=count=2 -split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Rows of a table that is no batch: of every sample its own. The gradient of
// the table is a sum over the batch.

// CHECK-LABEL: func.func @main(
// CHECK:         "stablehlo.gather"({{.*}}slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
// CHECK:         %[[TERM:.*]] = "stablehlo.scatter"
// CHECK:         (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
// CHECK-NEXT:    smith.accumulate %[[TERM]] kind = sum : tensor<5x3xf32>
func.func @main(
    %table: tensor<5x3xf32> {smith.role = "param", smith.name = "table"},
    %rows: tensor<4x1xi32> {smith.role = "batch", smith.name = "rows"})
    -> (tensor<5x3xf32> {smith.name = "r"}) {
  %zeros = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  %1 = "stablehlo.scatter"(%zeros, %rows, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %sum = stablehlo.add %old, %new : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// -----

// The element at one place, of all samples alike: x[:, 0].

// CHECK-LABEL: func.func @main(
// CHECK:         "stablehlo.gather"({{.*}}slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2xf32>
func.func @main(
    %x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
    %place: tensor<1xi32> {smith.role = "constant", smith.name = "place"})
    -> (tensor<4xf32> {smith.name = "r"}) {
  %0 = "stablehlo.gather"(%x, %place) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 4, 1>}> : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Of every sample the element at a place of its own, as a loss does, and its
// gradient.

// CHECK-LABEL: func.func @main(
// CHECK:         "stablehlo.gather"({{.*}} : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
// CHECK:         "stablehlo.scatter"
// CHECK:         (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<2x3xf32>
func.func @main(
    %x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
    %places: tensor<4x1xi32> {smith.role = "batch", smith.name = "places"})
    -> (tensor<4x3xf32> {smith.name = "r"}) {
  %zeros = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %0 = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %1 = "stablehlo.scatter"(%zeros, %places, %0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %sum = stablehlo.add %old, %new : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
