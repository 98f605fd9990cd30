// RUN: shardsmith-opt %s --split-input-file --train='optimizer=sgd learning-rate=0.5 compute-dtype=bf16' | FileCheck %s
// Contractions round their operands and results, forwards and backwards;
// the update stays in f32.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C_5_000000E_01:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<4x3xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.convert %[[X]] : (tensor<2x4xf32>) -> tensor<2x4xbf16>
// CHECK:       %[[V2:.*]] = stablehlo.convert %[[W]] : (tensor<4x3xf32>) -> tensor<4x3xbf16>
// CHECK:       %[[V3:.*]] = stablehlo.dot_general %[[V1]], %[[V2]], contracting_dims = [1] x [0] : (tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xbf16>
// CHECK:       %[[V4:.*]] = stablehlo.convert %[[V3]] : (tensor<2x3xbf16>) -> tensor<2x3xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V4]], %[[G]] : tensor<2x3xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.convert %[[G]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
// CHECK:       %[[V8:.*]] = stablehlo.dot_general %[[V1]], %[[V7]], contracting_dims = [0] x [0] : (tensor<2x4xbf16>, tensor<2x3xbf16>) -> tensor<4x3xbf16>
// CHECK:       %[[V9:.*]] = stablehlo.convert %[[V8]] : (tensor<4x3xbf16>) -> tensor<4x3xf32>
// CHECK:       %[[V10:.*]] = stablehlo.multiply %[[V9]], %[[C_5_000000E_01]] : tensor<4x3xf32>
// CHECK:       %[[V11:.*]] = stablehlo.add %[[W]], %[[V10]] : tensor<4x3xf32>
// CHECK:       return %[[V11]], %[[V6]] : tensor<4x3xf32>, tensor<f32>
func.func public @main(
    %w: tensor<4x3xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
