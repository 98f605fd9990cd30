// RUN: shardsmith-opt %s --split-input-file --train='optimizer=sgd learning-rate=0.5 clip-norm=2.0' | FileCheck %s
// Gradients are scaled only if their norm is not below the largest.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C_5_000000E_01:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[C2_000000E_00:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[C2_000000E_00_6:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.multiply %[[W]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[G]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V4]], %[[V4]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.sqrt %[[V6]] : tensor<f32>
// CHECK:       %[[V8:.*]] = stablehlo.compare LT, %[[V7]], %[[C2_000000E_00_6]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:       %[[V9:.*]] = stablehlo.broadcast_in_dim %[[V7]], dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V10:.*]] = stablehlo.divide %[[V4]], %[[V9]] : tensor<8xf32>
// CHECK:       %[[V11:.*]] = stablehlo.multiply %[[V10]], %[[C2_000000E_00]] : tensor<8xf32>
// CHECK:       %[[V12:.*]] = stablehlo.select %[[V8]], %[[V4]], %[[V11]] : tensor<i1>, tensor<8xf32>
// CHECK:       %[[V13:.*]] = stablehlo.multiply %[[V12]], %[[C_5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V14:.*]] = stablehlo.add %[[W]], %[[V13]] : tensor<8xf32>
// CHECK:       return %[[V14]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %w, %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
