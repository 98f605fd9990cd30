// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Strides become dilations and the other way round.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.convolution(%[[X]], %[[W]]) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x5x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<2x5x5x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x5x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.convolution(%[[G]], %[[W]]) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x5x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x9x9x3xf32>
// CHECK:       %[[V5:.*]] = stablehlo.convolution(%[[X]], %[[G]]) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<2x5x5x4xf32>) -> tensor<3x3x3x4xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<2x9x9x3xf32> {smith.name = "x", smith.role = "param"},
    %w: tensor<3x3x3x4xf32> {smith.name = "w", smith.role = "param"},
    %g: tensor<2x5x5x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x5x4xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<2x5x5x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x5x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Groups of features become groups of samples in the kernel gradient.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.convolution(%[[X]], %[[W]]) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x4xf32>, tensor<3x2x4xf32>) -> tensor<2x7x4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<2x7x4xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x7x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.convolution(%[[X]], %[[G]]) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = {{\[\[}}0, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<3x2x4xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<3x2x4xf32>, tensor<f32>
func.func public @main(
    %w: tensor<3x2x4xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<2x9x4xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<2x7x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x4xf32>, tensor<3x2x4xf32>) -> tensor<2x7x4xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<2x7x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x7x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
