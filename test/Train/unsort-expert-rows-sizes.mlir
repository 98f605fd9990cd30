// RUN: shardsmith-opt %s --unsort-expert-rows | FileCheck %s

// Products whose rows nobody has sorted here get the group of each row from the
// sizes of the groups: how many groups end at the row or before it.
// CHECK-LABEL: @main
// CHECK:       %[[ENDS:.*]] = stablehlo.reduce{{.*}} -> tensor<4xi32>
// CHECK:       %[[EACH:.*]] = stablehlo.broadcast_in_dim %[[ENDS]], dims = [1] : (tensor<4xi32>) -> tensor<12x4xi32>
// CHECK:       %[[ENDED:.*]] = stablehlo.compare LE, %[[EACH]]
// CHECK:       %[[COUNTED:.*]] = stablehlo.convert %[[ENDED]]
// CHECK:       %[[GROUP:.*]] = stablehlo.reduce(%[[COUNTED]]{{.*}} -> tensor<12xi32>
// CHECK:       smith.grouped_dot %{{.*}}, %[[GROUP]], %{{.*}} transposed : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x5x8xf32>) -> tensor<12x5xf32>
// CHECK:       smith.grouped_outer %{{.*}} : (tensor<12x8xf32>, tensor<12xi32>, tensor<12x5xf32>) -> tensor<4x8x5xf32>
// CHECK-NOT:   ragged_dot
func.func public @main(%x: tensor<12x8xf32>, %w: tensor<4x5x8xf32>, %sizes: tensor<4xi64>)
    -> (tensor<12x5xf32>, tensor<4x8x5xf32>) {
  %y = "chlo.ragged_dot"(%x, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x5x8xf32>, tensor<4xi64>) -> tensor<12x5xf32>
  %d = "chlo.ragged_dot"(%x, %y, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<12x8xf32>, tensor<12x5xf32>, tensor<4xi64>) -> tensor<4x8x5xf32>
  return %y, %d : tensor<12x5xf32>, tensor<4x8x5xf32>
}
