// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=2,pp=2,vpp=2,tp=1,dp=1,schedule=interleaved" | FileCheck %s

// Two ranks with two stages each, in turn. Every stage but the last one sends a
// message of 512 bytes that comes back: 1024 each, two on rank 0 and one on
// rank 1. With two rows the first unit takes 32768, a layer 49152:
//
//     rank 0   32768 + 3 · 49152 + 2 · 1024 = 182272
//     rank 1           3 · 49152 + 2 + 1024 = 148482
//
// Each rank idles for a part of a micro-batch of the other one, of which there
// are as many as stages: step = 4 · 182272 + 330754 / 4.

// CHECK: best: step 811777, played 811777
// CHECK-NEXT: stage 0 on rank 0: units [0, 2)
// CHECK-NEXT: stage 1 on rank 1: units [2, 4)
// CHECK-NEXT: stage 2 on rank 0: units [4, 6)
// CHECK-NEXT: stage 3 on rank 1: units [6, 8)

// Other cuts with as many units on each rank have the same sums.

// CHECK: cut at 1, 2, 5: step 811777, ranks take 182272, 148482 per micro-batch, idle 330754, tail 0
// CHECK: cut at 2, 4, 6: step 811777, ranks take 182272, 148482 per micro-batch, idle 330754, tail 0
// CHECK: cut at 5, 6, 7: step 1204993, ranks take 280576, 50178 per micro-batch, idle 330754, tail 0

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
