// RUN: shardsmith-opt %s --differentiate | FileCheck %s

// What is built for an op belongs to the backward pass of its stage. The
// broadcast of a bias belongs to no stage; its derivative goes with the ops
// that read it.

// CHECK: stablehlo.tanh %{{.*}} {smith.stage = 0 : i64}
// CHECK: stablehlo.add %{{.*}} {smith.stage = 1 : i64}
// CHECK: stablehlo.add %{{.*}} {smith.backward, smith.stage = 1 : i64}
// CHECK: stablehlo.reduce({{.*}}across dimensions = [0] {smith.backward, smith.stage = 1 : i64} : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK: stablehlo.multiply %{{.*}} {smith.backward, smith.stage = 0 : i64}
func.func public @main(%w: tensor<4x8xf32> {smith.name = "w", smith.role = "param"},
                       %b: tensor<8xf32> {smith.name = "b", smith.role = "param"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %w {smith.stage = 0 : i64} : tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 {smith.stage = 1 : i64} : tensor<4x8xf32>
  %3 = stablehlo.multiply %2, %2 {smith.stage = 1 : i64} : tensor<4x8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] {smith.stage = 1 : i64}
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
