// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=bounds fix=mbs=2,dp=4,tp=1" | FileCheck %s

// 3 · 4096 parameters of 4 bytes, 49152 in all, on two nodes of two data ranks,
// each of which works on one micro-batch: 131074 without exchanges.
//
// An all-reduce in a tree takes 49152, on the wires of a node and on the road
// between the nodes at the same time.

// CHECK: ops alone: 131074
// CHECK: best variant: 180226
// CHECK-NEXT: variant 1f1b zero 0 order tensor-context-data-pipeline: 180226

// With ZeRO-1 gradients are scattered, and new parameters gathered: twice three
// quarters of 49152.

// CHECK-NEXT: variant 1f1b zero 1 order tensor-context-data-pipeline: 204802

// Within a node half of them each, 2 · 24576, and the shard of 24576 is summed
// between the nodes, at half of a nanosecond's byte: 49152.

// CHECK-NEXT: variant 1f1b zero 1 over 2 ranks order tensor-context-data-pipeline: 229378

// ZeRO-2 scatters gradients of every micro-batch, of which there is one.

// CHECK-NEXT: variant 1f1b zero 2 order tensor-context-data-pipeline: 204802
// CHECK-NEXT: variant 1f1b zero 2 over 2 ranks order tensor-context-data-pipeline: 229378

// ZeRO-3 gathers parameters for either pass, and scatters: three times 36864; in
// a node three times 24576, and 49152 between them.

// CHECK-NEXT: variant 1f1b zero 3 order tensor-context-data-pipeline: 241666
// CHECK-NEXT: variant 1f1b zero 3 over 2 ranks order tensor-context-data-pipeline: 253954
// CHECK-NEXT: step: 180226 tensor=1 pipeline=1 data=4 micro-batch=2 recompute=none

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
