// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=stages fix=mbs=1,pp=3,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// Eight units on three ranks may be cut in 7 over 2 = 21 ways. With eight
// micro-batches of one row, the first unit takes 16384, a layer 24576, a message
// there and back 512; each of two other ranks waits for all of that once:
//
//     idle = 2 · (16384 + 6 · 24576 + 2 + 2 · 512) = 329732
//     step = 8 · busiest + idle / 3

// CHECK: best: step 638295, played 638295
// CHECK-NEXT: stage 0 on rank 0: units [0, 3)
// CHECK-NEXT: stage 1 on rank 1: units [3, 5)
// CHECK-NEXT: stage 2 on rank 2: units [5, 8)
// CHECK-COUNT-11: cut at {{[12],}}
// CHECK-NEXT: cut at 3, 4: step 699751, ranks take 66048, 25088, 73730 per micro-batch, idle 329732, tail 0
// CHECK-NEXT: cut at 3, 5: step 638295, ranks take 66048, 49664, 49154 per micro-batch, idle 329732, tail 0
// CHECK-COUNT-8: cut at
// CHECK-NOT: cut at

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
