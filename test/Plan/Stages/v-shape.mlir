// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=1,pp=2,tp=1,dp=1,schedule=zb-v" | FileCheck %s

// Rank 0 holds the first and the last of four stages, rank 1 those between. So
// only two stages send to another rank: 0 to 1 and 2 to 3; each message of 256
// bytes goes and comes back. All gaps are filled with gradients of parameters.
//
//     rank 0   16384 + 3 · 24576 + 2 + 512        two units before, three behind
//     rank 1           3 · 24576     + 2 · 512

// CHECK: tensor=1 data=1 pipeline=2 micro-batch=1 zb-v with 2 stages per rank
// CHECK-NEXT: best: step 725008, played 725008
// CHECK-NEXT: stage 0 on rank 0: units [0, 2)
// CHECK-NEXT: stage 1 on rank 1: units [2, 3)
// CHECK-NEXT: stage 2 on rank 1: units [3, 5)
// CHECK-NEXT: stage 3 on rank 0: units [5, 8)
// CHECK: cut at 2, 3, 5: step 725008, ranks take 90626, 74752 per micro-batch, idle -{{[0-9]+}}, tail 0

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %w4: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.4.w"},
      %w5: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.5.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = call @layer(%3, %w4) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %5 = call @layer(%4, %w5) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%5 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
