// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// Ops that cut out or put together parts.

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.slice %[[X]] [1:6:2] : (tensor<7xf32>) -> tensor<3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.pad %[[G]], %[[ZERO]], low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<7xf32>, tensor<f32>
func.func public @main(
    %x: tensor<7xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.slice %x [1:6:2] : (tensor<7xf32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Slices side by side give back a concatenation, without any zeros.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.slice %[[X]] [0:2] : (tensor<6xf32>) -> tensor<2xf32>
// CHECK:       %[[V2:.*]] = stablehlo.slice %[[X]] [2:4] : (tensor<6xf32>) -> tensor<2xf32>
// CHECK:       %[[V3:.*]] = stablehlo.slice %[[X]] [4:6] : (tensor<6xf32>) -> tensor<2xf32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[V1]], %[[V2]] : tensor<2xf32>
// CHECK:       %[[V5:.*]] = stablehlo.subtract %[[V4]], %[[V3]] : tensor<2xf32>
// CHECK:       %[[V6:.*]] = stablehlo.multiply %[[V5]], %[[G]] : tensor<2xf32>
// CHECK:       %[[V7:.*]] = stablehlo.reduce(%[[V6]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V8:.*]] = stablehlo.negate %[[G]] : tensor<2xf32>
// CHECK:       %[[V9:.*]] = stablehlo.multiply %[[G]], %[[V2]] : tensor<2xf32>
// CHECK:       %[[V10:.*]] = stablehlo.multiply %[[G]], %[[V1]] : tensor<2xf32>
// CHECK:       %[[V11:.*]] = stablehlo.concatenate %[[V9]], %[[V10]], %[[V8]], dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
// CHECK:       return %[[V11]], %[[V7]] : tensor<6xf32>, tensor<f32>
func.func public @main(
    %x: tensor<6xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<2xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.slice %x [0:2] : (tensor<6xf32>) -> tensor<2xf32>
  %b = stablehlo.slice %x [2:4] : (tensor<6xf32>) -> tensor<2xf32>
  %c = stablehlo.slice %x [4:6] : (tensor<6xf32>) -> tensor<2xf32>
  %ab = stablehlo.multiply %a, %b : tensor<2xf32>
  %y = stablehlo.subtract %ab, %c : tensor<2xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<2xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Padding is cropped from the cotangent; its value collects the rest.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[V:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.pad %[[X]], %[[V]], low = [1], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.pad %[[G]], %[[ZERO]], low = [-1], high = [-2], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK:       %[[V5:.*]] = stablehlo.slice %[[V4]] [0:5:2] : (tensor<5xf32>) -> tensor<3xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[G]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V8:.*]] = stablehlo.subtract %[[V6]], %[[V7]] : tensor<f32>
// CHECK:       return %[[V5]], %[[V8]], %[[V3]] : tensor<3xf32>, tensor<f32>, tensor<f32>
func.func public @main(
    %x: tensor<3xf32> {smith.name = "x", smith.role = "param"},
    %v: tensor<f32> {smith.name = "v", smith.role = "param"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.pad %x, %v, low = [1], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[Y:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.concatenate %[[X]], %[[Y]], dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<5xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.slice %[[G]] [0:2] : (tensor<5xf32>) -> tensor<2xf32>
// CHECK:       %[[V5:.*]] = stablehlo.slice %[[G]] [2:5] : (tensor<5xf32>) -> tensor<3xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<2xf32>, tensor<3xf32>, tensor<f32>
func.func public @main(
    %x: tensor<2xf32> {smith.name = "x", smith.role = "param"},
    %y: tensor<3xf32> {smith.name = "y", smith.role = "param"},
    %g: tensor<5xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %weighted = stablehlo.multiply %z, %g : tensor<5xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO_5:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dynamic_slice %[[X]], %[[I]], sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<3xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_5]]) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dynamic_update_slice %[[ZERO]], %[[G]], %[[I]] : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
// CHECK:       return %[[V4]], %[[V3]] : tensor<8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %i: tensor<i32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<3xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<3xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-DAG:   %[[ZERO_6:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.dynamic_update_slice %[[X]], %[[U]], %[[I]] : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
// CHECK:       %[[V2:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.reduce(%[[V2]] init: %[[ZERO_6]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V4:.*]] = stablehlo.dynamic_update_slice %[[G]], %[[ZERO]], %[[I]] : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.dynamic_slice %[[G]], %[[I]], sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
// CHECK:       return %[[V4]], %[[V5]], %[[V3]] : tensor<8xf32>, tensor<3xf32>, tensor<f32>
func.func public @main(
    %x: tensor<8xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<3xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<i32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
