// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Contractions absorb the transposes around them.

// Tied embeddings: the logits read the table as it is, and its gradient comes
// in its layout.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<2x9xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x9xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dot_general %[[G]], %[[X]], contracting_dims = [0] x [0] : (tensor<2x9xf32>, tensor<2x4xf32>) -> tensor<9x4xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<9x4xf32>, tensor<f32>
func.func public @main(
    %w: tensor<9x4xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x9xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<9x4xf32>) -> tensor<4x9xf32>
  %y = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x9xf32>) -> tensor<2x9xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x9xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x9xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Exchanging the factors removes the transpose.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x9xf32>) -> tensor<2x9xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<2x9xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x9xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dot_general %[[X]], %[[G]], contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x9xf32>) -> tensor<4x9xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<4x9xf32>, tensor<f32>
func.func public @main(
    %w: tensor<4x9xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x9xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.dot_general %w, %x, contracting_dims = [0] x [1] : (tensor<4x9xf32>, tensor<2x4xf32>) -> tensor<9x2xf32>
  %y = stablehlo.transpose %t, dims = [1, 0] : (tensor<9x2xf32>) -> tensor<2x9xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x9xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x9xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Weighted values of attention: rows stay together.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[V:[^:]*]]: tensor
// CHECK-SAME:  %[[P:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[P]], %[[V]], batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x5x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.transpose %[[V1]], dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.multiply %[[V2]], %[[G]] : tensor<2x5x3x4xf32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x3x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.dot_general %[[P]], %[[G]], batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x5x8xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x8x4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.transpose %[[V5]], dims = [0, 2, 1, 3] : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>
// CHECK:       return %[[V6]], %[[V4]] : tensor<2x8x3x4xf32>, tensor<f32>
func.func public @main(
    %v: tensor<2x8x3x4xf32> {smith.name = "v", smith.role = "param"},
    %p: tensor<2x3x5x8xf32> {smith.name = "p", smith.role = "batch"},
    %g: tensor<2x5x3x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x8x3x4xf32>, tensor<2x3x5x8xf32>) -> tensor<2x3x4x5xf32>
  %y = stablehlo.transpose %o, dims = [0, 3, 1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x5x3x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x3x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A transpose that exchanges free dimensions stays.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.transpose %[[X]], dims = [1, 0, 2] : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.dot_general %[[V1]], %[[W]], contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x9xf32>) -> tensor<2x3x9xf32>
// CHECK:       %[[V3:.*]] = stablehlo.multiply %[[V2]], %[[G]] : tensor<2x3x9xf32>
// CHECK:       %[[V4:.*]] = stablehlo.reduce(%[[V3]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x9xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.dot_general %[[X]], %[[G]], contracting_dims = [1, 0] x [0, 1] : (tensor<3x2x4xf32>, tensor<2x3x9xf32>) -> tensor<4x9xf32>
// CHECK:       return %[[V5]], %[[V4]] : tensor<4x9xf32>, tensor<f32>
func.func public @main(
    %w: tensor<4x9xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<3x2x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x3x9xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %y = stablehlo.dot_general %t, %w, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x9xf32>) -> tensor<2x3x9xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2x3x9xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x9xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
