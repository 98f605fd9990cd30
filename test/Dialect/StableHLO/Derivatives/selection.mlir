// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Ops that pass one of their operands on.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[P:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.select %[[P]], %[[X]], %[[Y]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.select %[[P]], %[[G]], %[[ZERO]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.select %[[P]], %[[ZERO]], %[[G]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<8xf32>, tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<8xf32> {smith.name = "y", smith.role = "param"},
    %p: tensor<8xi1> {smith.name = "p", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.select %p, %x, %y : tensor<8xi1>, tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Scalar bounds collect the cotangents of the elements they replace.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[LOW:[^:]*]]: tensor
// CHECK-SAME:  %[[HIGH:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.clamp %[[LOW]], %[[X]], %[[HIGH]] : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.broadcast_in_dim %[[LOW]], dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.broadcast_in_dim %[[HIGH]], dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.compare GT, %[[V4]], %[[X]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V7:.*]] = stablehlo.compare LT, %[[V4]], %[[V5]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V8:.*]] = stablehlo.and %[[V6]], %[[V7]] : tensor<8xi1>
// CHECK:       %[[V9:.*]] = stablehlo.compare GT, %[[X]], %[[V4]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V10:.*]] = stablehlo.compare LT, %[[X]], %[[V5]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V11:.*]] = stablehlo.and %[[V9]], %[[V10]] : tensor<8xi1>
// CHECK:       %[[V12:.*]] = stablehlo.select %[[V8]], %[[G]], %[[ZERO]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       %[[V13:.*]] = stablehlo.reduce(%[[V12]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V14:.*]] = stablehlo.select %[[V11]], %[[G]], %[[ZERO]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       return %[[V14]], %[[V13]], %[[V3]] : tensor<8xf32>, tensor<f32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %low: tensor<f32> {smith.name = "low", smith.role = "param"},
    %high: tensor<f32> {smith.name = "high", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
