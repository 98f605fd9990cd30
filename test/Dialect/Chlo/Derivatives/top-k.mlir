// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]], %[[V2:.*]] = chlo.top_k(%[[X]], k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
// CHECK:       %[[V3:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<4x3xf32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<4x8xf32>
// CHECK:       %[[V6:.*]] = "stablehlo.scatter"(%[[V5]], %[[V2]], %[[G]]) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = true}> ({
// CHECK-NEXT:  ^bb0(%[[B7:.*]]: tensor<f32>, %[[B8:.*]]: tensor<f32>):
// CHECK:       %[[V9:.*]] = stablehlo.add %[[B7]], %[[B8]] : tensor<f32>
// CHECK:       stablehlo.return %[[V9]] : tensor<f32>
// CHECK:       }) : (tensor<4x8xf32>, tensor<4x3xi32>, tensor<4x3xf32>) -> tensor<4x8xf32>
// CHECK:       return %[[V6]], %[[V4]] : tensor<4x8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4x8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4x3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y, %i = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %weighted = stablehlo.multiply %y, %g : tensor<4x3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
