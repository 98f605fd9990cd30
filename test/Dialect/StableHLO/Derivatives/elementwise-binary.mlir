// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// g is the cotangent of the result.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.subtract %[[X]], %[[Y]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.negate %[[G]] : tensor<8xf32>
// CHECK:       return %[[G]], %[[V4]], %[[V3]] : tensor<8xf32>, tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<8xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.subtract %x, %y : tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.divide %[[X]], %[[Y]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.divide %[[G]], %[[Y]] : tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V4]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.negate %[[V5]] : tensor<8xf32>
// CHECK:       return %[[V4]], %[[V6]], %[[V3]] : tensor<8xf32>, tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<8xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.divide %x, %y : tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A divisor that repeats a smaller tensor is inverted once, and the factor
// moves out of the sum over its copies.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[S:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.divide %[[X]], %[[V1]] : tensor<8x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.multiply %[[V2]], %[[G]] : tensor<8x4xf32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.divide %[[ONE]], %[[S]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.broadcast_in_dim %[[V5]], dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.multiply %[[G]], %[[V6]] : tensor<8x4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V9:.*]] = stablehlo.multiply %[[V8]], %[[V5]] : tensor<8xf32>
// CHECK:       %[[V10:.*]] = stablehlo.negate %[[V9]] : tensor<8xf32>
// CHECK:       return %[[V7]], %[[V10]], %[[V4]] : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8x4xf32> {smith.name = "x", smith.role = "param"},
    %s: tensor<8xf32> {smith.name = "s", smith.role = "param"},
    %g: tensor<8x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %z = stablehlo.divide %x, %r : tensor<8x4xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Equal operands get half of the cotangent each.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[C5_000000E_01:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.maximum %[[X]], %[[Y]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.compare EQ, %[[X]], %[[Y]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[G]], %[[C5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.select %[[V4]], %[[V5]], %[[ZERO]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       %[[V7:.*]] = stablehlo.compare GT, %[[X]], %[[Y]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V8:.*]] = stablehlo.select %[[V7]], %[[G]], %[[V6]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       return %[[V8]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<8xf32> {smith.name = "y", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.maximum %x, %y : tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// log(0) counts as 0.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.power %[[X]], %[[Y]] : tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.compare EQ, %[[X]], %[[ZERO]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
// CHECK:       %[[V5:.*]] = stablehlo.select %[[V4]], %[[ONE]], %[[X]] : tensor<8xi1>, tensor<8xf32>
// CHECK:       %[[V6:.*]] = stablehlo.log %[[V5]] : tensor<8xf32>
// CHECK:       %[[V7:.*]] = stablehlo.multiply %[[V6]], %[[V1]] : tensor<8xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[G]], %[[V7]] : tensor<8xf32>
// CHECK:       return %[[V8]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %y: tensor<8xf32> {smith.name = "y", smith.role = "param"},
    %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.power %x, %y : tensor<8xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
