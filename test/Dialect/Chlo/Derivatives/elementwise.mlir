// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// 2 / sqrt(pi) exp(-x²)
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C1_12837923:.*]] = stablehlo.constant dense<1.12837923> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = chlo.erf %[[X]] : tensor<8xf32> -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[X]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.negate %[[V4]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.exponential %[[V5]] : tensor<8xf32>
// CHECK:       %[[V7:.*]] = stablehlo.multiply %[[G]], %[[V6]] : tensor<8xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[V7]], %[[C1_12837923]] : tensor<8xf32>
// CHECK:       return %[[V8]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = chlo.erf %x : tensor<8xf32> -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = chlo.lgamma %[[X]] : tensor<8xf32> -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = chlo.digamma %[[X]] : tensor<8xf32> -> tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[G]], %[[V4]] : tensor<8xf32>
// CHECK:       return %[[V5]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = chlo.lgamma %x : tensor<8xf32> -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
