// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=4,tp=2" | FileCheck %s --check-prefix=TWO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=blocks fix=mbs=4,tp=5" | FileCheck %s --check-prefix=FIVE

// Two heads on each of two ranks: queries, keys, values and attention are split
// by heads and exchange nothing. The last product sums over heads, and what it
// makes is scattered to the positions that the loss then works on: half of
// 4 · 16 · 32 · 4 = 8192 bytes leave each rank.

// TWO: block 0 (block) with micro-batch=4 tensor=2, tensor 2 over wire: 1 layouts
// TWO: splits wq by n4, wk by n4, wv by n4, attention by kv, wo by n4, reduce by s
// TWO: tensor exchanges: forward 4096, backward 4096
// TWO: parameters: 2048 dense

// Four heads are too few for five ranks. Products are split by other factors, and
// attention by the positions of its queries.

// FIVE: block 0 (block) with micro-batch=4 tensor=5, tensor 5 over wire: 4 layouts
// FIVE-NOT: attention by kv
// FIVE: attention by s

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
