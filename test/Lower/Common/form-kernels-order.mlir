// RUN: shardsmith-opt %s --lower-dots --form-kernels | FileCheck %s

// Two groups must not wait for each other. %dy and %loss could share a kernel,
// and %e and %dx another one; but %dx depends on %dy, and %loss on %e.

// CHECK-LABEL: func.func @no_circle
// CHECK:         %[[FIRST:.*]]:2 = smith.kernel(%arg3)
// CHECK:           stablehlo.cosine
// CHECK-NOT:       stablehlo.reduce
// CHECK:         smith.gemm %[[FIRST]]#1{{.*}}, %arg2
// CHECK:         smith.kernel
// CHECK:           stablehlo.exponential
// CHECK:         smith.gemm %{{.*}}, %arg1
// CHECK:         smith.kernel
// CHECK:           stablehlo.reduce
func.func @no_circle(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %places = stablehlo.iota dim = 0 : tensor<32xf32>
  %weights = stablehlo.cosine %places : tensor<32xf32>
  %e = stablehlo.exponential %x : tensor<8x4xf32>
  %y = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %flat = stablehlo.reshape %y : (tensor<8x4xf32>) -> tensor<32xf32>
  %weighted = stablehlo.multiply %flat, %weights : tensor<32xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %dy = stablehlo.multiply %all, %weights : tensor<32xf32>
  %dy2 = stablehlo.reshape %dy : (tensor<32xf32>) -> tensor<8x4xf32>
  %de = stablehlo.dot_general %dy2, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dx = stablehlo.multiply %de, %e : tensor<8x4xf32>
  return %loss, %dx : tensor<f32>, tensor<8x4xf32>
}
