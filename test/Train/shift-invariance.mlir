// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s
// The maximum that is subtracted gets no cotangent where the loss provably
// does not depend on it.

// log softmax
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[C0XFF800000]]) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.broadcast_in_dim %[[V1]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.subtract %[[X]], %[[V2]] : tensor<4x8xf32>
// CHECK:       %[[V4:.*]] = stablehlo.exponential %[[V3]] : tensor<4x8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.log %[[V5]] : tensor<4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.broadcast_in_dim %[[V6]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V8:.*]] = stablehlo.subtract %[[V3]], %[[V7]] : tensor<4x8xf32>
// CHECK:       %[[V9:.*]] = stablehlo.multiply %[[V8]], %[[G]] : tensor<4x8xf32>
// CHECK:       %[[V10:.*]] = stablehlo.reduce(%[[V9]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V11:.*]] = stablehlo.reduce(%[[G]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V12:.*]] = stablehlo.negate %[[V11]] : tensor<4xf32>
// CHECK:       %[[V13:.*]] = stablehlo.divide %[[V12]], %[[V5]] : tensor<4xf32>
// CHECK:       %[[V14:.*]] = stablehlo.broadcast_in_dim %[[V13]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V15:.*]] = stablehlo.multiply %[[V14]], %[[V4]] : tensor<4x8xf32>
// CHECK:       %[[V16:.*]] = stablehlo.add %[[G]], %[[V15]] : tensor<4x8xf32>
// CHECK:       return %[[V16]], %[[V10]] : tensor<4x8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4x8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4x8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %s : tensor<4x8xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %l = stablehlo.log %sum : tensor<4xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %y = stablehlo.subtract %s, %lb : tensor<4x8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4x8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// logsumexp
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[C0XFF800000]]) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.broadcast_in_dim %[[V1]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.subtract %[[X]], %[[V2]] : tensor<4x8xf32>
// CHECK:       %[[V4:.*]] = stablehlo.exponential %[[V3]] : tensor<4x8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.log %[[V5]] : tensor<4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.add %[[V6]], %[[V1]] : tensor<4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[V7]], %[[G]] : tensor<4xf32>
// CHECK:       %[[V9:.*]] = stablehlo.reduce(%[[V8]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V10:.*]] = stablehlo.divide %[[G]], %[[V5]] : tensor<4xf32>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[V10]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V12:.*]] = stablehlo.multiply %[[V11]], %[[V4]] : tensor<4x8xf32>
// CHECK:       return %[[V12]], %[[V9]] : tensor<4x8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4x8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %s : tensor<4x8xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %l = stablehlo.log %sum : tensor<4xf32>
  %y = stablehlo.add %l, %m : tensor<4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// log(1 + sum(exp(x - m))) does depend on m.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[ONE_4:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C0XFF800000:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK:       %[[V1:.*]] = stablehlo.reduce(%[[X]] init: %[[C0XFF800000]]) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V2:.*]] = stablehlo.broadcast_in_dim %[[V1]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V3:.*]] = stablehlo.subtract %[[X]], %[[V2]] : tensor<4x8xf32>
// CHECK:       %[[V4:.*]] = stablehlo.exponential %[[V3]] : tensor<4x8xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.add %[[V5]], %[[ONE_4]] : tensor<4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.log %[[V6]] : tensor<4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.multiply %[[V7]], %[[G]] : tensor<4xf32>
// CHECK:       %[[V9:.*]] = stablehlo.reduce(%[[V8]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V10:.*]] = stablehlo.divide %[[G]], %[[V6]] : tensor<4xf32>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[V10]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V12:.*]] = stablehlo.multiply %[[V11]], %[[V4]] : tensor<4x8xf32>
// CHECK:       %[[V13:.*]] = stablehlo.multiply %[[V5]], %[[V10]] : tensor<4xf32>
// CHECK:       %[[V14:.*]] = stablehlo.negate %[[V13]] : tensor<4xf32>
// CHECK:       %[[V15:.*]] = stablehlo.compare EQ, %[[X]], %[[V2]] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
// CHECK:       %[[V16:.*]] = stablehlo.broadcast_in_dim %[[ONE]], dims = [] : (tensor<f32>) -> tensor<4x8xf32>
// CHECK:       %[[V17:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<4x8xf32>
// CHECK:       %[[V18:.*]] = stablehlo.select %[[V15]], %[[V16]], %[[V17]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK:       %[[V19:.*]] = stablehlo.reduce(%[[V18]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK:       %[[V20:.*]] = stablehlo.divide %[[V14]], %[[V19]] : tensor<4xf32>
// CHECK:       %[[V21:.*]] = stablehlo.broadcast_in_dim %[[V20]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK:       %[[V22:.*]] = stablehlo.select %[[V15]], %[[V21]], %[[V17]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK:       %[[V23:.*]] = stablehlo.add %[[V12]], %[[V22]] : tensor<4x8xf32>
// CHECK:       return %[[V23]], %[[V9]] : tensor<4x8xf32>, tensor<f32>
func.func public @main(
    %x: tensor<4x8xf32> {smith.name = "x", smith.role = "param"},
    %g: tensor<4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %s = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %s : tensor<4x8xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %p = stablehlo.add %sum, %one : tensor<4xf32>
  %y = stablehlo.log %p : tensor<4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
