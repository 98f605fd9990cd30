// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// A softmax is differentiated as a whole: dx = y (g - sum(g y)).

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[C0XFF800000]]) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.broadcast_in_dim %[[V1]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.subtract %[[X]], %[[V2]] : tensor<4x8xf32>
// CHECK:       %[[V4:.*]] = stablehlo.exponential %[[V3]] : tensor<4x8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.broadcast_in_dim %[[V5]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V7:.*]] = stablehlo.divide %[[V4]], %[[V6]] : tensor<4x8xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[V7]], %[[G]] : tensor<4x8xf32>
// CHECK:       %[[V9:.*]] = stablehlo.reduce(%[[V8]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V10:.*]] = stablehlo.reduce(%[[V8]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[V10]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V12:.*]] = stablehlo.subtract %[[G]], %[[V11]] : tensor<4x8xf32>
// CHECK:       %[[V13:.*]] = stablehlo.multiply %[[V7]], %[[V12]] : tensor<4x8xf32>
// CHECK:       return %[[V13]], %[[V9]] : tensor<4x8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4x8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4x8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %s : tensor<4x8xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = stablehlo.divide %e, %sb : tensor<4x8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4x8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
