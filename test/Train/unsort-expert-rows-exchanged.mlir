// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=2 axes=expert token-axes=data,expert exchange=rows samples=3" | FileCheck %s
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=4 exchange=cheaper" | FileCheck %s --check-prefix=CHEAPER
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=2 exchange=cheaper" | FileCheck %s --check-prefix=FIXED
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=4 exchange=fixed" | FileCheck %s --check-prefix=FIXED
// RUN: shardsmith-opt %s --unsort-expert-rows="capacity=0.5 samples=3" | FileCheck %s --check-prefix=LIMIT
// RUN: shardsmith-opt %s --unsort-expert-rows="ranks=2 exchange=rows samples=1 capacity=1" | FileCheck %s --check-prefix=BOTH
// RUN: not shardsmith-opt %s --unsort-expert-rows="capacity=-1" 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not shardsmith-opt %s --unsort-expert-rows="capacity=1 samples=5" 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not shardsmith-opt %s --unsort-expert-rows="capacity=1 samples=9223372036854775807" 2>&1 | FileCheck %s --check-prefix=UNEVEN
// SPDX-License-Identifier: Apache-2.0

// UNEVEN: error: experts cannot have a capacity: the rows of this product are not followed back
// BAD: error: capacity=-1.000000e+00: expected zero or more

sdy.mesh @mesh = <["data"=1, "expert"=2]>

// Three samples of two tokens: four rows each, at most all of them on one rank.
// CHECK-LABEL: @main
// CHECK-NOT:   stablehlo.sort
// CHECK:       %[[BY_SAMPLE:.*]] = stablehlo.reshape %{{.*}} : (tensor<12xi32>) -> tensor<3x4xi32>
// CHECK:       %[[SLOTS:.*]], %[[ENDS:.*]] = smith.place_rows %[[BY_SAMPLE]] count = 4 {smith.factor_axes = #smith.factor_axes<[{"data", "expert"}, {}, {}, {}]>, smith.unit = 3 : i64} : tensor<3x4xi32> -> (tensor<3x4xi32>, tensor<2x3x2xi32>)
// CHECK:       %[[BEHIND:.*]] = stablehlo.compare GE, %{{.*}} : (tensor<2x3x4x2xi32>, tensor<2x3x4x2xi32>)
// CHECK:       %[[OWN:.*]] = stablehlo.reduce{{.*}} across dimensions = [3] {{.*}} -> tensor<2x3x4xi32>
// CHECK:       %[[PACKED:.*]] = smith.pack_rows %{{.*}}, %[[SLOTS]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"expert"}, {"data"}, {}, {}]>]>, smith.factor_axes = #smith.factor_axes<[{"data", "expert"}, {}, {}, {}, {}]>, smith.unit = 3 : i64} : (tensor<3x4x8xf32>, tensor<3x4xi32>) -> tensor<2x3x4x8xf32>
// CHECK:       %[[MADE:.*]] = smith.grouped_dot %[[PACKED]], %[[OWN]], %{{.*}} : (tensor<2x3x4x8xf32>, tensor<2x3x4xi32>, tensor<2x2x8x5xf32>) -> tensor<2x3x4x5xf32>
// CHECK:       %[[ACTIVE:.*]] = stablehlo.logistic %[[MADE]] {{.*}} : tensor<2x3x4x5xf32>
// CHECK:       %[[BACK:.*]] = smith.unpack_rows %[[ACTIVE]], %[[SLOTS]] {{.*}} -> tensor<3x4x5xf32>
// CHECK:       %[[ROWS:.*]] = stablehlo.reshape %[[BACK]] : (tensor<3x4x5xf32>) -> tensor<12x5xf32>
// CHECK:       stablehlo.multiply %[[ROWS]]

// With more ranks than choices rows are fewer than tokens; with as many they
// are not.
// CHEAPER:     smith.place_rows
// FIXED-NOT:   smith.place_rows

// ceil(0.5 · 4 rows / 4 experts): one row of a sample for each expert.
// LIMIT-LABEL: @main
// LIMIT:       %[[KEPT:.*]] = smith.limit_rows %{{.*}} capacity = 1 counts {{.*}}: tensor<3x4xi32>
// LIMIT:       %[[NUMBERS:.*]] = stablehlo.reshape %[[KEPT]] {{.*}}-> tensor<12xi32>
// LIMIT:       %[[IS_KEPT:.*]] = stablehlo.compare GE, %[[NUMBERS]]
// LIMIT:       smith.grouped_dot %{{.*}}, %[[NUMBERS]], %{{.*}}
// LIMIT:       %[[MASK:.*]] = stablehlo.broadcast_in_dim %[[IS_KEPT]]
// LIMIT:       stablehlo.select %[[MASK]]

// The slots of a part are those of its experts' capacities: 2 · ceil(12 / 4).
// BOTH:        smith.limit_rows %{{.*}} capacity = 3
// BOTH:        smith.place_rows %{{.*}} count = 6
func.func public @main(
    %w: tensor<4x8x5xf32> {smith.name = "w", smith.role = "param"},
    %tokens: tensor<6x8xf32> {smith.name = "tokens", smith.role = "batch"},
    %scores: tensor<6x4xf32> {smith.name = "scores", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<12xi32>
  %zeros = stablehlo.constant dense<0.0> : tensor<6x5xf32>
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
  %rows = "stablehlo.gather"(%tokens, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> {smith.unit = 3 : i64} : (tensor<6x8xf32>, tensor<12x1xi32>) -> tensor<12x8xf32>
  %each = stablehlo.broadcast_in_dim %experts, dims = [0] : (tensor<12xi32>) -> tensor<12x4xi32>
  %number = stablehlo.iota dim = 1 : tensor<12x4xi32>
  %is = stablehlo.compare EQ, %each, %number : (tensor<12x4xi32>, tensor<12x4xi32>) -> tensor<12x4xi1>
  %ones = stablehlo.convert %is : (tensor<12x4xi1>) -> tensor<12x4xi32>
  %sizes = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<12x4xi32>, tensor<i32>) -> tensor<4xi32>
  %made = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {smith.unit = 3 : i64} : (tensor<12x8xf32>, tensor<4x8x5xf32>, tensor<4xi32>) -> tensor<12x5xf32>
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
