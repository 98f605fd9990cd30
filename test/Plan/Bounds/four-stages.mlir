// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=bounds fix=mbs=1,tp=1,dp=1,pp=4,schedule=1f1b" | FileCheck %s

// The chain takes 16384 + 4 · 24576 + 2 = 114690 per micro-batch. A quarter of
// that would be 28673, and eight times it is what ops alone say. But units are
// whole: of six on four ranks in a row, the first two together take 40960, or two
// layers 49152. So some rank takes 40960 at least, and all wait for three quarters
// of the chain: 8 · 40960 + 3 / 4 · 114690.

// CHECK: ops alone: 229384
// CHECK-NEXT: fastest layouts: 229384
// CHECK-NEXT: best paths of any order: 413698
// CHECK-NEXT: best variant: 413698
// CHECK-NEXT: variant 1f1b zero 0 order tensor-context-data-pipeline: 413698

// The step has messages beside that: 8 · 512 on the busiest rank, and three
// quarters of 3 · 512 while the pipeline fills and drains.

// CHECK: step: 418946 tensor=1 pipeline=4 data=1 micro-batch=1 1f1b recompute=none

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
