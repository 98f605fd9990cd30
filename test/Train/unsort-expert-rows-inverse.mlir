// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows | FileCheck %s
//
// Rows are put back in the order of the tokens by a second sort, which makes
// the inverse of the order: they are there already.

// CHECK-LABEL: @main
// CHECK-NOT:   stablehlo.sort
// CHECK:       %[[MADE:.*]] = smith.grouped_dot
// CHECK-NOT:   stablehlo.gather
// CHECK:       %[[BACK:.*]] = stablehlo.reshape %[[MADE]] : (tensor<12x5xf32>) -> tensor<6x2x5xf32>
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<12x8xf32>, %scores: tensor<6x4xf32>) -> tensor<6x2x5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %twelve = stablehlo.constant dense<12> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %inverse:2 = "stablehlo.sort"(%order#1, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %at = stablehlo.reshape %order#1 : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<12x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %numbers = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %wide = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %match = stablehlo.compare EQ, %wide, %numbers : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %counted = stablehlo.convert %match : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%counted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %negative = stablehlo.compare LT, %inverse#1, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %inverse#1, %twelve : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %inverse#1 : tensor<12xi1>, tensor<12xi32>
  %at_inverse = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %back = "stablehlo.gather"(%made, %at_inverse) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<12x5xf32>, tensor<12x1xi32>) -> tensor<12x5xf32>
  %result = stablehlo.reshape %back : (tensor<12x5xf32>) -> tensor<6x2x5xf32>
  return %result : tensor<6x2x5xf32>
}

// -----

// Someone looks at the sorted order.
// CHECK-LABEL: @main
// CHECK-COUNT-2: stablehlo.sort
// CHECK:       stablehlo.gather
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<12x8xf32>, %scores: tensor<6x4xf32>) -> (tensor<12x5xf32>, tensor<12xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %twelve = stablehlo.constant dense<12> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %inverse:2 = "stablehlo.sort"(%order#1, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %at = stablehlo.reshape %order#1 : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<12x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %numbers = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %wide = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %match = stablehlo.compare EQ, %wide, %numbers : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %counted = stablehlo.convert %match : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%counted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %negative = stablehlo.compare LT, %inverse#1, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %inverse#1, %twelve : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %inverse#1 : tensor<12xi1>, tensor<12xi32>
  %at_inverse = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %back = "stablehlo.gather"(%made, %at_inverse) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<12x5xf32>, tensor<12x1xi32>) -> tensor<12x5xf32>
  return %back, %inverse#0 : tensor<12x5xf32>, tensor<12xi32>
}

// -----

// Only parts of the rows are looked up.
// CHECK-LABEL: @main
// CHECK-COUNT-2: stablehlo.sort
// CHECK:       stablehlo.gather
func.func public @main(%w: tensor<4x8x5xf32>, %tokens: tensor<12x8xf32>, %scores: tensor<6x4xf32>) -> tensor<12x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %twelve = stablehlo.constant dense<12> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0> : tensor<12xi32>
  %values, %indices = chlo.top_k(%scores, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
  %experts = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
  %positions = stablehlo.iota dim = 0 : tensor<12xi32>
  %order:2 = "stablehlo.sort"(%experts, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %inverse:2 = "stablehlo.sort"(%order#1, %positions) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>, tensor<12xi32>)
  %at = stablehlo.reshape %order#1 : (tensor<12xi32>) -> tensor<12x1xi32>
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<12x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %numbers = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %wide = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %match = stablehlo.compare EQ, %wide, %numbers : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %counted = stablehlo.convert %match : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%counted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  %negative = stablehlo.compare LT, %inverse#1, %zeros : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
  %from_end = stablehlo.add %inverse#1, %twelve : tensor<12xi32>
  %wrapped = stablehlo.select %negative, %from_end, %inverse#1 : tensor<12xi1>, tensor<12xi32>
  %at_inverse = stablehlo.broadcast_in_dim %wrapped, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
  %back = "stablehlo.gather"(%made, %at_inverse) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<12x5xf32>, tensor<12x1xi32>) -> tensor<12x3xf32>
  return %back : tensor<12x3xf32>
}
