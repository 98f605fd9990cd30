// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Gradients of contractions are contractions, most without a transpose.

// x[8, 4] · y[4, 6]
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[Y]], contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8x6xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dot_general %[[G]], %[[Y]], contracting_dims = [1] x [1] : (tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<8x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.dot_general %[[X]], %[[G]], contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<8x4xf32>, tensor<4x6xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8x4xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<4x6xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<8x6xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8x6xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// x[8, 4] · y[6, 4]: the factors of dy change places.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[Y]], contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8x6xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dot_general %[[G]], %[[Y]], contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.dot_general %[[G]], %[[X]], contracting_dims = [0] x [0] : (tensor<8x6xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<8x4xf32>, tensor<6x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8x4xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<6x4xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<8x6xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8x6xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Scores of attention.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[Y]], batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x9x3x4xf32>) -> tensor<2x3x8x9xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<2x3x8x9xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x9xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dot_general %[[G]], %[[Y]], batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x9xf32>, tensor<2x9x3x4xf32>) -> tensor<2x3x8x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.transpose %[[V4]], dims = [0, 2, 1, 3] : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.dot_general %[[G]], %[[X]], batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x8x9xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x9x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.transpose %[[V6]], dims = [0, 2, 1, 3] : (tensor<2x3x9x4xf32>) -> tensor<2x9x3x4xf32>
// CHECK:       return %[[V5]], %[[V7]], %[[V3]] : tensor<2x8x3x4xf32>, tensor<2x9x3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<2x8x3x4xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<2x9x3x4xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<2x3x8x9xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x9x3x4xf32>) -> tensor<2x3x8x9xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<2x3x8x9xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x9xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Wide result of narrow operands: the products are formed in f32.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dot_general %[[X]], %[[Y]], contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8x6xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.convert %[[Y]] : (tensor<4x6xbf16>) -> tensor<4x6xf32>
// CHECK:       %[[V5:.*]] = stablehlo.dot_general %[[G]], %[[V4]], contracting_dims = [1] x [1] : (tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<8x4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.convert %[[V5]] : (tensor<8x4xf32>) -> tensor<8x4xbf16>
// CHECK:       %[[V7:.*]] = stablehlo.convert %[[X]] : (tensor<8x4xbf16>) -> tensor<8x4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.dot_general %[[V7]], %[[G]], contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK:       %[[V9:.*]] = stablehlo.convert %[[V8]] : (tensor<4x6xf32>) -> tensor<4x6xbf16>
// CHECK:       return %[[V6]], %[[V9]], %[[V3]] : tensor<8x4xbf16>, tensor<4x6xbf16>, tensor<f32>
func.func public @main(
    %x: tensor<8x4xbf16> {smith.name = "x", smith.role = "param"},
    %y: tensor<4x6xbf16> {smith.name = "y", smith.role = "param"},
    %g: tensor<8x6xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<8x6xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
