// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=1,pp=2,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// The last product has four times the columns of the others: 4 · 24576 + 2 per
// micro-batch, as much as four layers. It stands alone, and all layers with the
// first product on the other rank: 16384 + 4 · 24576 + 512.

// CHECK: best: step 1028353, played 1028353
// CHECK-NEXT: stage 0 on rank 0: units [0, 5), recompute 5 none
// CHECK-NEXT: stage 1 on rank 1: units [5, 6), recompute 1 none
// CHECK: cut at 3: step 1286417, ranks take 66048, 147458 per micro-batch
// CHECK-NEXT: cut at 4: step 1089809, ranks take 90624, 122882 per micro-batch
// CHECK-NEXT: cut at 5: step 1028353, ranks take 115200, 98306 per micro-batch

module @head {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %out: tensor<64x256xf32> {smith.role = "param", smith.name = "out"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %logits = stablehlo.dot_general %3, %out, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    %loss = stablehlo.reduce(%logits init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x256xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
