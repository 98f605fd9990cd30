// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=bounds fix=mbs=2,dp=2,tp=2" | FileCheck %s

// Each rank has half of 3 · 4096 parameters: gradients of 24576 bytes, whose
// all-reduce moves once as much on two ranks. Two layers gather and scatter 256
// bytes in each pass of each of two micro-batches: 2048 inside of a node. All of
// that takes twice as long on the road.

// CHECK: ops alone: 131076
// CHECK-NEXT: fastest layouts: 133124
// CHECK-NEXT: best paths of any order: 133124
// CHECK-NEXT: best variant: 159748

// Tensor ranks in a node: 131076 + 2048 + 2 · 24576.

// CHECK-NEXT: variant 1f1b zero 0 order tensor-context-data-pipeline: 182276

// ZeRO-2 gathers 12288 once, and scatters as much in both micro-batches; ZeRO-3
// moves 3 · 12288 in each.

// CHECK-NEXT: variant 1f1b zero 1 order tensor-context-data-pipeline: 182276
// CHECK-NEXT: variant 1f1b zero 2 order tensor-context-data-pipeline: 206852
// CHECK-NEXT: variant 1f1b zero 3 order tensor-context-data-pipeline: 280580

// Data ranks in a node: 131076 + 2 · 2048 + 24576.

// CHECK-NEXT: variant 1f1b zero 0 order data-tensor-context-pipeline: 159748
// CHECK-NEXT: variant 1f1b zero 1 order data-tensor-context-pipeline: 159748
// CHECK-NEXT: variant 1f1b zero 2 order data-tensor-context-pipeline: 172036
// CHECK-NEXT: variant 1f1b zero 3 order data-tensor-context-pipeline: 208900
// CHECK-NEXT: step: 159748 tensor=2 pipeline=1 data=2 micro-batch=2 order=data,tensor,context,pipeline recompute=none

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
