// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Ops that move or repeat elements.

// Copies are summed up: along new dimensions and those that had size 1.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [2, 0] : (tensor<5x1xf32>) -> tensor<3x4x5xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3x4x5xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[G]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reshape %[[V4]] : (tensor<5xf32>) -> tensor<5x1xf32>
// CHECK:       return %[[V5]], %[[V3]] : tensor<5x1xf32>, tensor<f32>
func.func public @main(
    %x: tensor<5x1xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3x4x5xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<5x1xf32>) -> tensor<3x4x5xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3x4x5xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Dimensions come back in the order of the operand.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [2, 0] : (tensor<5x3xf32>) -> tensor<3x4x5xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3x4x5xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[G]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
// CHECK:       %[[V5:.*]] = stablehlo.transpose %[[V4]], dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
// CHECK:       return %[[V5]], %[[V3]] : tensor<5x3xf32>, tensor<f32>
func.func public @main(
    %x: tensor<5x3xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3x4x5xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<5x3xf32>) -> tensor<3x4x5xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3x4x5xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Narrow floats are summed up in f32.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [1] : (tensor<3xbf16>) -> tensor<4x3xbf16>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<4x3xbf16>
// CHECK:       %[[V3:.*]] = stablehlo.convert %[[V2]] : (tensor<4x3xbf16>) -> tensor<4x3xf32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.convert %[[G]] : (tensor<4x3xbf16>) -> tensor<4x3xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V7:.*]] = stablehlo.convert %[[V6]] : (tensor<3xf32>) -> tensor<3xbf16>
// CHECK:       return %[[V7]], %[[V4]] : tensor<3xbf16>, tensor<f32>
func.func public @main(
    %x: tensor<3xbf16> {smith.name = "x", smith.role = "param"},
    %g: tensor<4x3xbf16> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xbf16>) -> tensor<4x3xbf16>
  %weighted = stablehlo.multiply %y, %g : tensor<4x3xbf16>
  %wide = stablehlo.convert %weighted : (tensor<4x3xbf16>) -> tensor<4x3xf32>
  %loss = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.transpose %[[X]], dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<4x2x3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.transpose %[[G]], dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<2x3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<2x3x4xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4x2x3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4x2x3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reshape %[[X]] : (tensor<2x6xf32>) -> tensor<3x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.reshape %[[G]] : (tensor<3x4xf32>) -> tensor<2x6xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<2x6xf32>, tensor<f32>
func.func public @main(
    %x: tensor<2x6xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[ZERO_5:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]]:2 = stablehlo.optimization_barrier %[[X]], %[[Y]] : tensor<4xf32>, tensor<4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]]#1, %[[G]] : tensor<4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_5]]) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.optimization_barrier %[[G]] : tensor<4xf32>
// CHECK:       return %[[ZERO]], %[[V4]], %[[V3]] : tensor<4xf32>, tensor<4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<4xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<4xf32>
  %weighted = stablehlo.multiply %y0#1, %g : tensor<4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
