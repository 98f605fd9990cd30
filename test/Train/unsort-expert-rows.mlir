// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows | FileCheck %s
// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows="ranks=2 axes=expert" | FileCheck %s --check-prefix=RANKS
// RUN: shardsmith-opt %s --split-input-file --unsort-expert-rows="ranks=4 exchange=fixed" | FileCheck %s --check-prefix=SLOTS

sdy.mesh @mesh = <["expert"=2]>

// Rows in the order of the tokens: row r is that of token r / 2.
// CHECK-LABEL: @main
// CHECK-NOT:   stablehlo.sort
// CHECK:       %[[VALUES:[^,]*]], %[[INDICES:.*]] = chlo.top_k
// CHECK:       %[[TWICE:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] {smith.unit = 3 : i64} : (tensor<6x8xf32>) -> tensor<6x2x8xf32>
// CHECK:       %[[ROWS:.*]] = stablehlo.reshape %[[TWICE]] {smith.unit = 3 : i64} : (tensor<6x2x8xf32>) -> tensor<12x8xf32>
// CHECK:       %[[EXPERTS:.*]] = stablehlo.reshape %[[INDICES]] {smith.unit = 3 : i64} : (tensor<6x2xi32>) -> tensor<12xi32>
// CHECK:       %[[MADE:.*]] = smith.grouped_dot %[[ROWS]], %[[EXPERTS]], %{{.*}} {smith.unit = 3 : i64} : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x5xf32>) -> tensor<12x5xf32>
// CHECK:       %[[ACTIVE:.*]] = stablehlo.logistic %[[MADE]]
// CHECK:       %[[WEIGHTS:.*]] = stablehlo.reshape %[[VALUES]] : (tensor<6x2xf32>) -> tensor<12xf32>
// CHECK:       %[[REPEATED:.*]] = stablehlo.broadcast_in_dim %[[WEIGHTS]], dims = [0]
// CHECK:       %[[WEIGHTED:.*]] = stablehlo.multiply %[[ACTIVE]], %[[REPEATED]]
// CHECK:       %[[BY_TOKEN:.*]] = stablehlo.reshape %[[WEIGHTED]] : (tensor<12x5xf32>) -> tensor<6x2x5xf32>
// CHECK:       stablehlo.reduce(%[[BY_TOKEN]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK-NOT:   scatter

// A part per rank: what is not zero for rows of experts elsewhere is masked.
// RANKS-LABEL: @main
// RANKS-NOT:   stablehlo.sort
// RANKS:       %[[FIRST:.*]] = stablehlo.multiply %{{.*}} : tensor<2x12xi32>
// RANKS:       %[[OWN:.*]] = stablehlo.subtract %{{.*}}, %[[FIRST]]
// RANKS:       %[[MATRICES:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x8x5xf32>) -> tensor<2x2x8x5xf32>
// RANKS:       %[[ROWS:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"expert"}, {?}, {?}]>]>{{.*}} : (tensor<12x8xf32>) -> tensor<2x12x8xf32>
// RANKS:       %[[MADE:.*]] = smith.grouped_dot %[[ROWS]], %[[OWN]], %[[MATRICES]]
// RANKS-SAME:    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"expert"}, {?}, {?}]>]>
// RANKS:       %[[ACTIVE:.*]] = stablehlo.logistic %[[MADE]] {{.*}} : tensor<2x12x5xf32>
// RANKS:       %[[WEIGHTED:.*]] = stablehlo.multiply %[[ACTIVE]]
// RANKS:       %[[MASKED:.*]] = stablehlo.select %{{.*}}, %[[WEIGHTED]]
// RANKS:       %[[BY_TOKEN:.*]] = stablehlo.reshape %[[MASKED]] : (tensor<2x12x5xf32>) -> tensor<2x6x2x5xf32>
// RANKS:       stablehlo.reduce(%[[BY_TOKEN]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 2]

// One expert per rank, and two per token: a slot per token, whose expert is
// number 0 of the rank or none.
// SLOTS-LABEL: @main
// SLOTS:       %[[CHOSEN:.*]] = stablehlo.compare EQ, %{{.*}} : (tensor<4x6x1x2xi32>, tensor<4x6x1x2xi32>)
// SLOTS:       %[[COUNT:.*]] = stablehlo.reduce{{.*}} dimensions = [3]{{.*}} -> tensor<4x6x1xi32>
// SLOTS:       %[[TAKEN:.*]] = stablehlo.compare GT, %[[COUNT]]
// SLOTS:       %[[NUMBER:.*]] = stablehlo.select %[[TAKEN]], %{{.*}}, %{{.*}} : tensor<4x6x1xi1>, tensor<4x6x1xi32>
// SLOTS:       %[[OWN:.*]] = stablehlo.reshape %[[NUMBER]] {{.*}} -> tensor<4x6xi32>
// SLOTS:       %[[ROWS:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x6x1x8xf32>) -> tensor<4x6x8xf32>
// SLOTS:       smith.grouped_dot %[[ROWS]], %[[OWN]], %{{.*}} : (tensor<4x6x8xf32>, tensor<4x6xi32>, tensor<4x1x8x5xf32>) -> tensor<4x6x5xf32>
// SLOTS:       %[[WEIGHT:.*]] = stablehlo.select %[[CHOSEN]], %{{.*}} : tensor<4x6x1x2xi1>, tensor<4x6x1x2xf32>
// SLOTS:       stablehlo.reduce(%[[WEIGHT]]{{.*}} dimensions = [3]
// SLOTS:       stablehlo.reduce{{.*}} dimensions = [0]{{.*}} (tensor<4x6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
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
