// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=4,dp=1,tp=1,cp=1" | FileCheck %s

// Four products with parameters, of 64 rows by 32 by 32, and two without, of
// 16 · 16 scores times 8 for 4 · 4 heads:
//
//     2 · 64 · 32 · 32 = 131072 each       2 · 2 · 16 · 16 · 16 · 8 = 131072
//
// Scores are made, scaled to probabilities and used by kernels of their own,
// which round up to a nanosecond more.

// CHECK: block 0 (block) with micro-batch=4: 1 layouts
// CHECK: time: forward 655362, backward 393218 + 524288, recompute 131073 or 655362

// Backward, attention has twice the operations, and of the others only the last
// product has a gradient of activations. Selective recomputation makes scores
// again. It keeps queries, keys, values and attention's result, 4 · 8192 bytes; what
// is inside of attention is beside that, two tensors of 16384 among it.

// CHECK-NEXT: memory: saves 69632, 32768 or 0,
// CHECK-NEXT: parameters: 4096 dense

module @attention {
  func.func @main(
      %wq: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wq"},
      %wk: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wk"},
      %wv: tensor<32x4x8xf32> {smith.role = "param", smith.name = "wv"},
      %wo: tensor<4x8x32xf32> {smith.role = "param", smith.name = "wo"},
      %x: tensor<4x16x32xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0]
        : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2],
        contracting_dims = [3] x [3]
        : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x16xf32>
    %most = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum
        across dimensions = [3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1, 2] : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %shifted = stablehlo.subtract %scores, %mosts : tensor<4x4x16x16xf32>
    %e = stablehlo.exponential %shifted : tensor<4x4x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add
        across dimensions = [3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4x4x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<4x4x16xf32>) -> tensor<4x4x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<4x4x16x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2],
        contracting_dims = [3] x [1]
        : (tensor<4x4x16x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x8xf32>
    %out = stablehlo.dot_general %mixed, %wo, contracting_dims = [1, 3] x [0, 1]
        : (tensor<4x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
    %loss = stablehlo.reduce(%out init: %zero) applies stablehlo.add
        across dimensions = [0, 1, 2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
