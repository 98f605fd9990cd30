// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows | FileCheck %s
//
// Sizes of groups that are counted as bincount does: ones are added up at the
// experts, behind what makes sure that no index is negative.

// CHECK-LABEL: @main
// CHECK-NOT:   stablehlo.sort
// CHECK:       chlo.top_k
// CHECK:       %[[EXPERTS:.*]] = stablehlo.reshape %{{.*}} : (tensor<6x2xi32>) -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[EXPERTS]], %{{.*}}
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<6x8xf32>, %scores: tensor<6x4xf32>) -> tensor<f32> {
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %four = stablehlo.constant dense<4> : tensor<12xi32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %clipped = stablehlo.maximum %zeros, %experts : tensor<12xi32>
  %negative = stablehlo.compare LT, %clipped, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %clipped, %four : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %clipped : tensor<12xi1>, tensor<12xi32>
  %places = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %sizes = "stablehlo.scatter"(%none, %places, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%made init: %start) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Twos do not count.
// CHECK-LABEL: @main
// CHECK:       stablehlo.sort
// CHECK:       %[[GROUP:.*]] = stablehlo.reduce{{.*}} -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[GROUP]], %{{.*}}
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<6x8xf32>, %scores: tensor<6x4xf32>) -> tensor<f32> {
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<2> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %four = stablehlo.constant dense<4> : tensor<12xi32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %clipped = stablehlo.maximum %zeros, %experts : tensor<12xi32>
  %negative = stablehlo.compare LT, %clipped, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %clipped, %four : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %clipped : tensor<12xi1>, tensor<12xi32>
  %places = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %sizes = "stablehlo.scatter"(%none, %places, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%made init: %start) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Tokens are no experts.
// CHECK-LABEL: @main
// CHECK:       stablehlo.sort
// CHECK:       %[[GROUP:.*]] = stablehlo.reduce{{.*}} -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[GROUP]], %{{.*}}
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<6x8xf32>, %scores: tensor<6x4xf32>) -> tensor<f32> {
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %four = stablehlo.constant dense<4> : tensor<12xi32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %places = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %sizes = "stablehlo.scatter"(%none, %places, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%made init: %start) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The largest one is no sum.
// CHECK-LABEL: @main
// CHECK:       stablehlo.sort
// CHECK:       %[[GROUP:.*]] = stablehlo.reduce{{.*}} -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[GROUP]], %{{.*}}
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<6x8xf32>, %scores: tensor<6x4xf32>) -> tensor<f32> {
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %four = stablehlo.constant dense<4> : tensor<12xi32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %clipped = stablehlo.maximum %zeros, %experts : tensor<12xi32>
  %negative = stablehlo.compare LT, %clipped, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %clipped, %four : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %clipped : tensor<12xi1>, tensor<12xi32>
  %places = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %sizes = "stablehlo.scatter"(%none, %places, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%made init: %start) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What is there before counts, too.
// CHECK-LABEL: @main
// CHECK:       stablehlo.sort
// CHECK:       %[[GROUP:.*]] = stablehlo.reduce{{.*}} -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[GROUP]], %{{.*}}
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<6x8xf32>, %scores: tensor<6x4xf32>) -> tensor<f32> {
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %four = stablehlo.constant dense<4> : tensor<12xi32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %token = stablehlo.divide %order#1, %two : tensor<12xi32>
  %at = stablehlo.reshape %token : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %clipped = stablehlo.maximum %zeros, %experts : tensor<12xi32>
  %negative = stablehlo.compare LT, %clipped, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %clipped, %four : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %clipped : tensor<12xi1>, tensor<12xi32>
  %places = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %before = stablehlo.constant dense<1> : tensor<4xi32>
  %sizes = "stablehlo.scatter"(%before, %places, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<12x1xi32>, tensor<12xi32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%made init: %start) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
