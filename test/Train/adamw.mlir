// RUN: shardsmith-opt %s --split-input-file --train='optimizer=adamw learning-rate=0.5 b1=0.75 b2=0.5 eps=0.125 weight-decay=0.0625' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME:  %[[W:[^:]*]]: tensor
// CHECK-SAME:  %[[ADAMW_COUNT:[^:]*]]: tensor
// CHECK-SAME:  %[[ADAMW_MU_W:[^:]*]]: tensor
// CHECK-SAME:  %[[ADAMW_NU_W:[^:]*]]: tensor
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C_5_000000E_01:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[C6_250000E_02:.*]] = stablehlo.constant dense<6.250000e-02> : tensor<8xf32>
// CHECK-DAG:   %[[C1_250000E_01:.*]] = stablehlo.constant dense<1.250000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[C5_000000E_01:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[C7_500000E_01:.*]] = stablehlo.constant dense<7.500000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[C2_500000E_01:.*]] = stablehlo.constant dense<2.500000e-01> : tensor<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C5_000000E_01_14:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:   %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG:   %[[C7_500000E_01_16:.*]] = stablehlo.constant dense<7.500000e-01> : tensor<f32>
// CHECK-DAG:   %[[C1:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-DAG:   %[[C2147483647:.*]] = stablehlo.constant dense<2147483647> : tensor<i32>
// CHECK:       %[[V1:.*]] = stablehlo.compare LT, %[[ADAMW_COUNT]], %[[C2147483647]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK:       %[[V2:.*]] = stablehlo.add %[[ADAMW_COUNT]], %[[C1]] : tensor<i32>
// CHECK:       %[[V3:.*]] = stablehlo.select %[[V1]], %[[V2]], %[[C2147483647]] : tensor<i1>, tensor<i32>
// CHECK:       %[[V4:.*]] = stablehlo.convert %[[V3]] : (tensor<i32>) -> tensor<f32>
// CHECK:       %[[V5:.*]] = stablehlo.power %[[C7_500000E_01_16]], %[[V4]] : tensor<f32>
// CHECK:       %[[V6:.*]] = stablehlo.subtract %[[ONE]], %[[V5]] : tensor<f32>
// CHECK:       %[[V7:.*]] = stablehlo.power %[[C5_000000E_01_14]], %[[V4]] : tensor<f32>
// CHECK:       %[[V8:.*]] = stablehlo.subtract %[[ONE]], %[[V7]] : tensor<f32>
// CHECK:       %[[V9:.*]] = stablehlo.multiply %[[W]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V10:.*]] = stablehlo.multiply %[[V9]], %[[G]] : tensor<8xf32>
// CHECK:       %[[V11:.*]] = stablehlo.reduce(%[[V10]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V12:.*]] = stablehlo.multiply %[[G]], %[[X]] : tensor<8xf32>
// CHECK:       %[[V13:.*]] = stablehlo.multiply %[[V12]], %[[C2_500000E_01]] : tensor<8xf32>
// CHECK:       %[[V14:.*]] = stablehlo.multiply %[[ADAMW_MU_W]], %[[C7_500000E_01]] : tensor<8xf32>
// CHECK:       %[[V15:.*]] = stablehlo.add %[[V13]], %[[V14]] : tensor<8xf32>
// CHECK:       %[[V16:.*]] = stablehlo.multiply %[[V12]], %[[V12]] : tensor<8xf32>
// CHECK:       %[[V17:.*]] = stablehlo.multiply %[[V16]], %[[C5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V18:.*]] = stablehlo.multiply %[[ADAMW_NU_W]], %[[C5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V19:.*]] = stablehlo.add %[[V17]], %[[V18]] : tensor<8xf32>
// CHECK:       %[[V20:.*]] = stablehlo.broadcast_in_dim %[[V6]], dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V21:.*]] = stablehlo.divide %[[V15]], %[[V20]] : tensor<8xf32>
// CHECK:       %[[V22:.*]] = stablehlo.broadcast_in_dim %[[V8]], dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK:       %[[V23:.*]] = stablehlo.divide %[[V19]], %[[V22]] : tensor<8xf32>
// CHECK:       %[[V24:.*]] = stablehlo.sqrt %[[V23]] : tensor<8xf32>
// CHECK:       %[[V25:.*]] = stablehlo.add %[[V24]], %[[C1_250000E_01]] : tensor<8xf32>
// CHECK:       %[[V26:.*]] = stablehlo.divide %[[V21]], %[[V25]] : tensor<8xf32>
// CHECK:       %[[V27:.*]] = stablehlo.multiply %[[W]], %[[C6_250000E_02]] : tensor<8xf32>
// CHECK:       %[[V28:.*]] = stablehlo.add %[[V26]], %[[V27]] : tensor<8xf32>
// CHECK:       %[[V29:.*]] = stablehlo.multiply %[[V28]], %[[C_5_000000E_01]] : tensor<8xf32>
// CHECK:       %[[V30:.*]] = stablehlo.add %[[W]], %[[V29]] : tensor<8xf32>
// CHECK:       return %[[V30]], %[[V3]], %[[V15]], %[[V19]], %[[V11]] : tensor<8xf32>, tensor<i32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
func.func public @main(
    %w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"},
    %g: tensor<8xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %w, %x : tensor<8xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
