// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.broadcast_in_dim %[[G]], dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<3x4xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Elements that attain the maximum share the cotangent.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<3x4xf32>
// CHECK-DAG:   %[[ZERO_5:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[C0XFF800000]]) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_5]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.broadcast_in_dim %[[V1]], dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.compare EQ, %[[X]], %[[V4]] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK:       %[[V6:.*]] = stablehlo.select %[[V5]], %[[ONE]], %[[ZERO]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.reduce(%[[V6]] init: %[[ZERO_5]]) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V8:.*]] = stablehlo.divide %[[G]], %[[V7]] : tensor<3xf32>
// CHECK:       %[[V9:.*]] = stablehlo.broadcast_in_dim %[[V8]], dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK:       %[[V10:.*]] = stablehlo.select %[[V5]], %[[V9]], %[[ZERO]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK:       return %[[V10]], %[[V3]] : tensor<3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<3x4xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The product of all others, whatever is zero.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
// CHECK-DAG:   %[[ONE_5:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<3x4xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-DAG:   %[[ZERO_7:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[ONE_8:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[ONE_8]]) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_7]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.compare EQ, %[[X]], %[[ZERO_6]] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
// CHECK:       %[[V5:.*]] = stablehlo.select %[[V4]], %[[ONE_5]], %[[X]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ONE_8]]) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V7:.*]] = stablehlo.multiply %[[G]], %[[V6]] : tensor<3xf32>
// CHECK:       %[[V8:.*]] = stablehlo.select %[[V4]], %[[ONE_5]], %[[ZERO_6]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK:       %[[V9:.*]] = stablehlo.reduce(%[[V8]] init: %[[ZERO_7]]) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:       %[[V10:.*]] = stablehlo.compare EQ, %[[V9]], %[[ONE]] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
// CHECK:       %[[V11:.*]] = stablehlo.select %[[V10]], %[[V7]], %[[ZERO]] : tensor<3xi1>, tensor<3xf32>
// CHECK:       %[[V12:.*]] = stablehlo.broadcast_in_dim %[[V11]], dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK:       %[[V13:.*]] = stablehlo.compare EQ, %[[V9]], %[[ZERO]] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
// CHECK:       %[[V14:.*]] = stablehlo.select %[[V13]], %[[V7]], %[[ZERO]] : tensor<3xi1>, tensor<3xf32>
// CHECK:       %[[V15:.*]] = stablehlo.broadcast_in_dim %[[V14]], dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK:       %[[V16:.*]] = stablehlo.divide %[[V15]], %[[V5]] : tensor<3x4xf32>
// CHECK:       %[[V17:.*]] = stablehlo.select %[[V4]], %[[V12]], %[[V16]] : tensor<3x4xi1>, tensor<3x4xf32>
// CHECK:       return %[[V17]], %[[V3]] : tensor<3x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<3x4xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %init) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
