// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// Cotangents of several uses are added up; constants and integers have none.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.convert %[[I]] : (tensor<8xi32>) -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[W]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.multiply %[[W]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V4:.*]] = stablehlo.add %[[V2]], %[[V3]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V4]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.multiply %[[G]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[G]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V9:.*]] = stablehlo.add %[[V7]], %[[V8]] : tensor<8xf32>
// CHECK:       return %[[V9]], %[[V6]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"},
    %i: tensor<8xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.convert %i : (tensor<8xi32>) -> tensor<8xf32>
  %a = stablehlo.multiply %w, %f : tensor<8xf32>
  %b = stablehlo.multiply %w, %x : tensor<8xf32>
  %y = stablehlo.add %a, %b : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A parameter that does not reach the loss has gradient zero.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[V:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[ZERO_5:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.negate %[[W]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_5]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.negate %[[G]] : tensor<8xf32>
// CHECK:       return %[[V4]], %[[ZERO]], %[[V3]] : tensor<8xf32>, tensor<4xf32>, tensor<f32>
func.func public @main(
    %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
    %v: tensor<4xf32> {smith.name = "v", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.negate %w : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
