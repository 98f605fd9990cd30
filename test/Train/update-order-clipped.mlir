// RUN: shardsmith-opt %s --split-input-file --train='optimizer=sgd learning-rate=0.5 clip-norm=1.0' | FileCheck %s
// With clipping, updates need all gradients first.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[W1:[^:]*]]: tensor
// CHECK-SAME:  %[[W2:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C_5_000000E_01:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<4x4xf32>
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<2x4xf32>
// CHECK-DAG:   %[[ONE_7:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[W1]], contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.tanh %[[V1]] : tensor<2x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.dot_general %[[V2]], %[[W2]], contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[V3]], %[[G]] : tensor<2x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V6:.*]] = stablehlo.dot_general %[[G]], %[[W2]], contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.dot_general %[[V2]], %[[G]], contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[V6]], %[[V2]] : tensor<2x4xf32>
// CHECK:       %[[V9:.*]] = stablehlo.add %[[V6]], %[[V8]] : tensor<2x4xf32>
// CHECK:       %[[V10:.*]] = stablehlo.subtract %[[ONE]], %[[V2]] : tensor<2x4xf32>
// CHECK:       %[[V11:.*]] = stablehlo.multiply %[[V9]], %[[V10]] : tensor<2x4xf32>
// CHECK:       %[[V12:.*]] = stablehlo.dot_general %[[X]], %[[V11]], contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK:       %[[V13:.*]] = stablehlo.multiply %[[V12]], %[[V12]] : tensor<4x4xf32>
// CHECK:       %[[V14:.*]] = stablehlo.reduce(%[[V13]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V15:.*]] = stablehlo.multiply %[[V7]], %[[V7]] : tensor<4x4xf32>
// CHECK:       %[[V16:.*]] = stablehlo.reduce(%[[V15]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V17:.*]] = stablehlo.add %[[V14]], %[[V16]] : tensor<f32>
// CHECK:       %[[V18:.*]] = stablehlo.sqrt %[[V17]] : tensor<f32>
// CHECK:       %[[V19:.*]] = stablehlo.compare LT, %[[V18]], %[[ONE_7]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:       %[[V20:.*]] = stablehlo.broadcast_in_dim %[[V18]], dims = [] : (tensor<f32>) -> tensor<4x4xf32>
// CHECK:       %[[V21:.*]] = stablehlo.divide %[[V12]], %[[V20]] : tensor<4x4xf32>
// CHECK:       %[[V22:.*]] = stablehlo.select %[[V19]], %[[V12]], %[[V21]] : tensor<i1>, tensor<4x4xf32>
// CHECK:       %[[V23:.*]] = stablehlo.divide %[[V7]], %[[V20]] : tensor<4x4xf32>
// CHECK:       %[[V24:.*]] = stablehlo.select %[[V19]], %[[V7]], %[[V23]] : tensor<i1>, tensor<4x4xf32>
// CHECK:       %[[V25:.*]] = stablehlo.multiply %[[V22]], %[[C_5_000000E_01]] : tensor<4x4xf32>
// CHECK:       %[[V26:.*]] = stablehlo.add %[[W1]], %[[V25]] : tensor<4x4xf32>
// CHECK:       %[[V27:.*]] = stablehlo.multiply %[[V24]], %[[C_5_000000E_01]] : tensor<4x4xf32>
// CHECK:       %[[V28:.*]] = stablehlo.add %[[W2]], %[[V27]] : tensor<4x4xf32>
// CHECK:       return %[[V26]], %[[V28]], %[[V5]] : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>
func.func public @main(
    %w1: tensor<4x4xf32> {smith.name = "w1", smith.role = "param"},
    %w2: tensor<4x4xf32> {smith.name = "w2", smith.role = "param"},
    %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %a = stablehlo.tanh %h : tensor<2x4xf32>
  %y = stablehlo.dot_general %a, %w2, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
