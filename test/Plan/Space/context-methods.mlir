// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=mbs=4,dp=1,tp=1" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=mbs=4,dp=1,cp=3..4 forbid=context-method=ring" | FileCheck %s --check-prefix=WHOLE

// A sequence has 16 positions, so four devices take up to four parts of it. Each
// device holds all parameters: they are replicas, over which ZeRO spreads. With
// one part there is no method to choose, and no replica.

// ALL: context: 1, 2, 3, 4
// ALL: configuration tensor=1 data=1 pipeline=1 micro-batch=4: 1 micro-batches
// ALL-NEXT: orders: tensor-context-data-pipeline
// ALL-NEXT: zero: 0
// ALL: configuration tensor=1 context=2 data=1 pipeline=1 micro-batch=4
// ALL-NEXT: orders: tensor-context-data-pipeline
// ALL-NEXT: methods: ring, all-to-all
// ALL-NEXT: zero: 0, 1, 2, 3

// Whether an all-to-all finds heads enough is a matter of block tables.

// WHOLE: context: 3, 4
// WHOLE-NEXT: not 1 to 2: not allowed
// WHOLE: configuration tensor=1 context=3
// WHOLE-NEXT: orders
// WHOLE-NEXT: methods: all-to-all
// WHOLE: configuration tensor=1 context=4
// WHOLE-NEXT: orders
// WHOLE-NEXT: methods: all-to-all

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
