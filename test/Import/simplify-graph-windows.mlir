// RUN: shardsmith-opt %s --simplify-graph --split-input-file | FileCheck %s

// Windows without padding all see the same.
// CHECK-LABEL: func.func @whole
// CHECK: %[[FOUR:.+]] = stablehlo.constant dense<4.000000e+00> : tensor<f32>
// CHECK: %[[R:.+]] = stablehlo.broadcast_in_dim %[[FOUR]], dims = [] : (tensor<f32>) -> tensor<8x4x4x3xf32>
// CHECK: return %[[R]]
func.func @whole() -> tensor<8x4x4x3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<8x8x8x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%one, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x8x8x3xf32>, tensor<f32>) -> tensor<8x4x4x3xf32>
  return %0 : tensor<8x4x4x3xf32>
}

// -----

// Padding makes windows at the edge differ; samples and features are alike.
// CHECK-LABEL: func.func @padded
// CHECK: "stablehlo.reduce_window"
// CHECK: (tensor<1x8x8x1xf32>, tensor<f32>) -> tensor<1x8x8x1xf32>
// CHECK: %[[R:.+]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1, 2, 3] : (tensor<1x8x8x1xf32>) -> tensor<8x8x8x3xf32>
// CHECK: return %[[R]]
func.func @padded() -> tensor<8x8x8x3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<8x8x8x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%ones, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x8x8x3xf32>, tensor<f32>) -> tensor<8x8x8x3xf32>
  return %0 : tensor<8x8x8x3xf32>
}
