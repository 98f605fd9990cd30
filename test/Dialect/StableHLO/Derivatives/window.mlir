// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// A windowed sum over the cotangent, spread out by the stride.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.reduce_window"(%[[X]], %[[ZERO]]) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       %[[V4:.*]] = stablehlo.add %[[B2]], %[[B3]] : tensor<f32>
// CHECK:       stablehlo.return %[[V4]] : tensor<f32>
// CHECK:       }) : (tensor<8xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.pad %[[G]], %[[ZERO]], low = [2], high = [3], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK:       %[[V8:.*]] = "stablehlo.reduce_window"(%[[V7]], %[[ZERO]]) <{base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
// CHECK-NEXT:  ^bb0(%[[B9:.*]]: tensor<f32>, %[[B10:.*]]: tensor<f32>):
// CHECK:       %[[V11:.*]] = stablehlo.add %[[B9]], %[[B10]] : tensor<f32>
// CHECK:       stablehlo.return %[[V11]] : tensor<f32>
// CHECK:       }) : (tensor<10xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK:       return %[[V8]], %[[V6]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Padding takes part in the selection and is cropped.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.reduce_window"(%[[X]], %[[C0XFF800000]]) <{padding = dense<1> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       %[[V4:.*]] = stablehlo.maximum %[[B2]], %[[B3]] : tensor<f32>
// CHECK:       stablehlo.return %[[V4]] : tensor<f32>
// CHECK:       }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.pad %[[X]], %[[C0XFF800000]], low = [1], high = [1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK:       %[[V8:.*]] = "stablehlo.select_and_scatter"(%[[V7]], %[[G]], %[[ZERO]]) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
// CHECK-NEXT:  ^bb0(%[[B9:.*]]: tensor<f32>, %[[B10:.*]]: tensor<f32>):
// CHECK:       %[[V11:.*]] = stablehlo.compare GE, %[[B9]], %[[B10]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:       stablehlo.return %[[V11]] : tensor<i1>
// CHECK:       }, {
// CHECK-NEXT:  ^bb0(%[[B12:.*]]: tensor<f32>, %[[B13:.*]]: tensor<f32>):
// CHECK:       %[[V14:.*]] = stablehlo.add %[[B12]], %[[B13]] : tensor<f32>
// CHECK:       stablehlo.return %[[V14]] : tensor<f32>
// CHECK:       }) : (tensor<10xf32>, tensor<4xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK:       %[[V15:.*]] = stablehlo.pad %[[V8]], %[[ZERO]], low = [-1], high = [-1], interior = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK:       return %[[V15]], %[[V6]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %init) <{padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
