// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Steps of real sizes: positions of 40 million rows, and whether each of them is
// of each expert, are not written out.
// CHECK-LABEL: @main
// CHECK-NOT:   stablehlo.sort
// CHECK:       smith.grouped_dot %{{.*}} : (tensor<40000000x8xf32>, tensor<40000000xi32>, tensor<4x8x5xf32>)
// CHECK-NOT:   stablehlo.scatter
func.func public @main(
    %w: tensor<4x8x5xf32> {smith.name = "w", smith.role = "param"},
    %tokens: tensor<20000000x8xf32> {smith.name = "tokens", smith.role = "batch"},
    %scores: tensor<20000000x4xf32> {smith.name = "scores", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<40000000xi32>
  %zeros = stablehlo.constant dense<0.0> : tensor<20000000x5xf32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<20000000x4xf32> -> (tensor<20000000x2xf32>, tensor<20000000x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<20000000x2xi32>) -> tensor<40000000xi32>
  %positions = stablehlo.iota dim = 0 : tensor<40000000xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<40000000xi32>, tensor<40000000xi32>) -> (tensor<40000000xi32>, tensor<40000000xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<40000000xi32>
  %at = stablehlo.reshape %token : (tensor<40000000xi32>) -> tensor<40000000x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<20000000x8xf32>, tensor<40000000x1xi32>) -> tensor<40000000x8xf32>
  %each = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<40000000xi32>) -> tensor<40000000x4xi32>
  %number = stablehlo.iota dim = 1 : tensor<40000000x4xi32>
  %is = stablehlo.compare EQ, %each, %number : (tensor<40000000x4xi32>, tensor<40000000x4xi32>) -> tensor<40000000x4xi1>
  %ones = stablehlo.convert %is : (tensor<40000000x4xi1>) -> tensor<40000000x4xi32>
  %sizes = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<40000000x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<40000000x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<40000000x5xf32>
  %active = stablehlo.logistic %made : tensor<40000000x5xf32>
  %weights = stablehlo.reshape %values : (tensor<20000000x2xf32>) -> tensor<40000000xf32>
  %back = stablehlo.reshape %order#1 : (tensor<40000000xi32>) -> tensor<40000000x1xi32>
  %sorted = "stablehlo.gather"(%weights, %back) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<40000000xf32>, tensor<40000000x1xi32>) -> tensor<40000000xf32>
  %repeated = stablehlo.broadcast_in_dim %sorted, dims = [0] : (tensor<40000000xf32>) -> tensor<40000000x5xf32>
  %weighted = stablehlo.multiply %active, %repeated : tensor<40000000x5xf32>
  %y = "stablehlo.scatter"(%zeros, %at, %weighted) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<20000000x5xf32>, tensor<40000000x1xi32>, tensor<40000000x5xf32>) -> tensor<20000000x5xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<20000000x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The first choices of all tokens before the second ones: row r is that of token
// r % 6, and rows of a token are no neighbours. They stay sorted.
// CHECK-LABEL: @main
// CHECK:       stablehlo.sort
// CHECK:       stablehlo.scatter
func.func public @main(
    %w: tensor<4x8x5xf32> {smith.name = "w", smith.role = "param"},
    %tokens: tensor<6x8xf32> {smith.name = "tokens", smith.role = "batch"},
    %scores: tensor<6x4xf32> {smith.name = "scores", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0.0> : tensor<6x5xf32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.remainder %order#1, %six : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %each = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %number = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %is = stablehlo.compare EQ, %each, %number : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %ones = stablehlo.convert %is : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %active = stablehlo.logistic %made : tensor<12x5xf32>
  %weights = stablehlo.reshape %values : (tensor<6x2xf32>) -> tensor<12xf32>
  %back = stablehlo.reshape %order#1 : (tensor<12xi32>) -> tensor<12x1xi32>
  %sorted = "stablehlo.gather"(%weights, %back) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<12x1xi32>) -> tensor<12xf32>
  %repeated = stablehlo.broadcast_in_dim %sorted, dims = [0] : (tensor<12xf32>) -> tensor<12x5xf32>
  %weighted = stablehlo.multiply %active, %repeated : tensor<12x5xf32>
  %y = "stablehlo.scatter"(%zeros, %at, %weighted) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<12x1xi32>, tensor<12x5xf32>) -> tensor<6x5xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
