// RUN: shardsmith-opt --print-workload %s -o /dev/null | FileCheck %s

// The target is computed as the prediction is, by a parameter of its own, but
// without a backward pass: not behind stop_gradient, nor before it. The
// product with %v, whose result is added, has one.

// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: "has_backward":false}
// CHECK-NEXT: {"name":"v","kind":"matmul"
// CHECK-NOT: "has_backward":false
module @target {
  func.func @main(
      %w: tensor<16x8xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<16x8xf32> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x16xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    %2 = smith.stop_gradient %1 : tensor<4x8xf32>
    %3 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<4x8xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<4x8xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %6 : tensor<f32>
  }
}
