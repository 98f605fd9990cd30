// RUN: shardsmith-opt %s --unsort-expert-rows="token-axes=data" | FileCheck %s
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=2 axes=expert token-axes=data,expert exchange=fixed" | FileCheck %s --check-prefix=FIXED
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=2 axes=expert token-axes=data,expert exchange=rows samples=3" | FileCheck %s --check-prefix=ROWS
// RUN: shardsmith-opt %s --unsort-expert-rows="token-axes=data" --differentiate | FileCheck %s --check-prefix=BACK
// SPDX-License-Identifier: Apache-2.0

sdy.mesh @mesh = <["data"=3, "expert"=2, "tensor"=2]>

// The plan has split the sum of the first product over `tensor`, and the
// columns of the second. Rows are split as their tokens are.
//     [rows, k, n, groups]
// CHECK-LABEL: @main
// CHECK:       smith.grouped_dot {{.*}}smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {}, {}]>
// CHECK:       smith.grouped_dot {{.*}}smith.factor_axes = #smith.factor_axes<[{"data"}, {}, {"tensor"}, {}]>

// Parts are on the ranks of their experts; rows stay split over the others.
//     [parts, rows, k, n, groups]
// FIXED-LABEL: @main
// FIXED:       smith.grouped_dot {{.*}} {smith.factor_axes = #smith.factor_axes<[{"expert"}, {"data"}, {"tensor"}, {}, {}]>}
// FIXED:       smith.grouped_dot {{.*}} {smith.factor_axes = #smith.factor_axes<[{"expert"}, {"data"}, {}, {"tensor"}, {}]>}

//     [parts, samples, slots, k, n, groups]
// ROWS-LABEL:  @main
// ROWS:        smith.grouped_dot {{.*}} {smith.factor_axes = #smith.factor_axes<[{"expert"}, {"data"}, {}, {"tensor"}, {}, {}]>}
// ROWS:        smith.grouped_dot {{.*}} {smith.factor_axes = #smith.factor_axes<[{"expert"}, {"data"}, {}, {}, {"tensor"}, {}]>}

// The backward pass is split alike: what was summed is now columns of the rows,
// and the gradient of the matrices is split as they are.
// BACK-LABEL:  @main
// BACK:        smith.grouped_dot {{.*}}[{"data"}, {"tensor"}, {}, {}]>{{.*}}tensor<4x8x5xf32>) -> tensor<12x5xf32>
// BACK:        smith.grouped_dot {{.*}}[{"data"}, {}, {"tensor"}, {}]>{{.*}}tensor<4x6x5xf32>) -> tensor<12x6xf32>
// BACK-DAG:    smith.grouped_dot {{.*}}[{"data"}, {"tensor"}, {}, {}]>{{.*}}tensor<4x6x5xf32>) -> tensor<12x5xf32>
// BACK-DAG:    smith.grouped_outer {{.*}}[{"data"}, {"tensor"}, {}, {}]>{{.*}}-> tensor<4x6x5xf32>
// BACK-DAG:    smith.grouped_outer {{.*}}[{"data"}, {"tensor"}, {}, {}]>{{.*}}-> tensor<4x8x5xf32>
func.func public @main(
    %w: tensor<4x8x5xf32> {smith.name = "w", smith.role = "param"},
    %v: tensor<4x6x5xf32> {smith.name = "v", smith.role = "param"},
    %tokens: tensor<6x8xf32> {smith.name = "tokens", smith.role = "batch"},
    %scores: tensor<6x4xf32> {smith.name = "scores", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0.0> : tensor<6x6xf32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices {smith.factor_axes = #smith.factor_axes<[{}, {}]>} : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %each = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %number = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %is = stablehlo.compare EQ, %each, %number : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %ones = stablehlo.convert %is : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  // [rows, groups, columns, sum, sizes]; rows and groups are whole.
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {smith.factor_axes = #smith.factor_axes<[{}, {}, {}, {"tensor"}, {}]>} : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %active = stablehlo.tanh %made : tensor<12x5xf32>
  %back = "chlo.ragged_dot"(%active, %v, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {smith.factor_axes = #smith.factor_axes<[{}, {}, {"tensor"}, {}, {}]>} : (tensor<12x5xf32>, tensor<4x6x5xf32>, tensor<4xi32>) -> tensor<12x6xf32>
  %y = "stablehlo.scatter"(%zeros, %at, %back) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<6x6xf32>, tensor<12x1xi32>, tensor<12x6xf32>) -> tensor<6x6xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
