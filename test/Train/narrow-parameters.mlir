// RUN: shardsmith-opt %s --train='optimizer=sgd learning-rate=0.5' | FileCheck %s
// A bf16 parameter is kept and updated in f32, and rounded where it is used.

// CHECK:      func.func public @main(%[[MASTER:.*]]: tensor<4xf32> {smith.init = "ones", smith.name = "w", smith.role = "param"}, %[[X:.*]]: tensor<4xbf16>
// CHECK-SAME: -> (tensor<4xf32> {smith.name = "w", smith.role = "param"}
// CHECK-DAG:  %[[RATE:.*]] = stablehlo.constant dense<-5.000000e-01> : tensor<4xf32>
// CHECK:      %[[W:.*]] = stablehlo.convert %[[MASTER]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK:      stablehlo.multiply %[[W]], %[[X]] : tensor<4xbf16>
// CHECK:      %[[NARROW:.*]] = stablehlo.multiply %{{.*}}, %[[X]] : tensor<4xbf16>
// CHECK:      %[[G:.*]] = stablehlo.convert %[[NARROW]] : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK:      %[[STEP:.*]] = stablehlo.multiply %[[G]], %[[RATE]] : tensor<4xf32>
// CHECK:      %[[NEW:.*]] = stablehlo.add %[[MASTER]], %[[STEP]] : tensor<4xf32>
// CHECK:      return %[[NEW]]
func.func public @main(
    %w: tensor<4xbf16> {smith.init = "ones", smith.name = "w", smith.role = "param"},
    %x: tensor<4xbf16> {smith.name = "x", smith.role = "batch"},
    %g: tensor<4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %w, %x : tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = stablehlo.multiply %1, %g : tensor<4xf32>
  %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
