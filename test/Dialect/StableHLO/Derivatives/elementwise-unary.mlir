// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Derivatives reuse the forward result where that saves a function.

// 1 - y² as (1 + y)(1 - y).
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.tanh %[[X]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.add %[[G]], %[[V2]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.subtract %[[ONE]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.multiply %[[V4]], %[[V5]] : tensor<8xf32>
// CHECK:       return %[[V6]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.tanh %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.logistic %[[X]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.subtract %[[ONE]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V1]], %[[V4]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.multiply %[[G]], %[[V5]] : tensor<8xf32>
// CHECK:       return %[[V6]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.logistic %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C_5_000000E_01:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.rsqrt %[[X]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.divide %[[V1]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V4]], %[[C_5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.multiply %[[G]], %[[V5]] : tensor<8xf32>
// CHECK:       return %[[V6]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.rsqrt %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The cotangent has the element type of its value.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.convert %[[X]] : (tensor<8xbf16>) -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.convert %[[G]] : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK:       return %[[V4]], %[[V3]] : tensor<8xbf16>, tensor<f32>
func.func public @main(
    %x: tensor<8xbf16> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.convert %x : (tensor<8xbf16>) -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Constant wherever it is differentiable.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_4:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.floor %[[X]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_4]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       return %[[ZERO]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.floor %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
