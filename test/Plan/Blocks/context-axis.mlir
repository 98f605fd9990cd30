// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=4,tp=1,cp=2,dp=1" | FileCheck %s --check-prefix=TWO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=blocks fix=mbs=4,tp=1,cp=3,dp=1,context-method=all-to-all" | FileCheck %s --check-prefix=THREE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=blocks fix=mbs=4,tp=1,cp=4,dp=1" | FileCheck %s --check-prefix=FOUR

// Each of two ranks has eight positions of all four sequences: keys and values of
// 4 · 8 · 32 · 4 = 4096 bytes each. In a ring both travel once, and backward
// their gradients, too.

// TWO: block 0 (block) with micro-batch=4 context=2 ring, context 2 over wire: 1 layouts
// TWO: context exchanges: forward 8192, backward 16384

// With an all-to-all half of queries, keys, values and results leaves each rank:
// 4 · 2048.

// TWO: block 0 (block) with micro-batch=4 context=2 all-to-all, context 2 over wire: 1 layouts
// TWO: context exchanges: forward 8192, backward 8192

// Parameters are whole on every rank.

// TWO: parameters: 4096 dense

// An all-to-all gives each rank whole sequences for some heads; four heads are
// no multiple of three.

// THREE: context=3 all-to-all, context 3 over wire: 0 layouts
// THREE-NEXT: bounds: ops alone cannot run, fastest layout cannot run

// On four ranks keys and values of 4 · 4 · 32 · 4 = 2048 bytes make three steps:
// 3 · 2 · 2048. An all-to-all sends three quarters of four tensors of 2048.

// FOUR: context=4 ring
// FOUR: context exchanges: forward 12288, backward 24576
// FOUR: context=4 all-to-all
// FOUR: context exchanges: forward 6144, backward 6144

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
