// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// Rows of an embedding: indices outside are clamped as gather clamps them.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<i32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.gather"(%[[W]], %[[I]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<5x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.clamp %[[C0]], %[[I]], %[[C9]] : (tensor<i32>, tensor<5x1xi32>, tensor<i32>) -> tensor<5x1xi32>
// CHECK:       %[[V5:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<10x4xf32>
// CHECK:       %[[V6:.*]] = "stablehlo.scatter"(%[[V5]], %[[V4]], %[[G]]) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
// CHECK-NEXT:  ^bb0(%[[B7:.*]]: tensor<f32>, %[[B8:.*]]: tensor<f32>):
// CHECK:       %[[V9:.*]] = stablehlo.add %[[B7]], %[[B8]] : tensor<f32>
// CHECK:       stablehlo.return %[[V9]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       return %[[V6]], %[[V3]] : tensor<10x4xf32>, tensor<f32>
func.func public @main(
    %w: tensor<10x4xf32> {smith.name = "w", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<5x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.gather"(%w, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<5x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// One element per row: a comparison of positions, no scatter.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<i32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.gather"(%[[X]], %[[I]]) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x10xf32>, tensor<5x1x1xi32>) -> tensor<5x1xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<5x1xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.clamp %[[C0]], %[[I]], %[[C9]] : (tensor<i32>, tensor<5x1x1xi32>, tensor<i32>) -> tensor<5x1x1xi32>
// CHECK:       %[[V5:.*]] = stablehlo.reshape %[[V4]] : (tensor<5x1x1xi32>) -> tensor<5xi32>
// CHECK:       %[[V6:.*]] = stablehlo.broadcast_in_dim %[[V5]], dims = [0] : (tensor<5xi32>) -> tensor<5x10xi32>
// CHECK:       %[[V7:.*]] = stablehlo.iota dim = 1 : tensor<5x10xi32>
// CHECK:       %[[V8:.*]] = stablehlo.reshape %[[G]] : (tensor<5x1xf32>) -> tensor<5xf32>
// CHECK:       %[[V9:.*]] = stablehlo.broadcast_in_dim %[[V8]], dims = [0] : (tensor<5xf32>) -> tensor<5x10xf32>
// CHECK:       %[[V10:.*]] = stablehlo.compare EQ, %[[V7]], %[[V6]] : (tensor<5x10xi32>, tensor<5x10xi32>) -> tensor<5x10xi1>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<5x10xf32>
// CHECK:       %[[V12:.*]] = stablehlo.select %[[V10]], %[[V9]], %[[V11]] : tensor<5x10xi1>, tensor<5x10xf32>
// CHECK:       return %[[V12]], %[[V3]] : tensor<5x10xf32>, tensor<f32>
func.func public @main(
    %x: tensor<5x10xf32> {smith.name = "x", smith.role = "param"},
    %i: tensor<5x1x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<5x1xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x10xf32>, tensor<5x1x1xi32>) -> tensor<5x1xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<5x1xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
