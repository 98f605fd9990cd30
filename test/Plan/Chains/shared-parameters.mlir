// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=blocks fix=mbs=8" | FileCheck %s --check-prefix=BLOCKS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=ranking fix=mbs=8 plans=1" | FileCheck %s --check-prefix=PLAN

// The first and the last product use one parameter. It belongs to neither unit
// alone: a rank with both holds it once.

// BLOCKS: block 0 (block) with micro-batch=8
// BLOCKS: parameters: 0 dense, 0 of experts, 0 summed over tensor
// BLOCKS-NEXT: shares: 4096 dense, 0 of experts, 0 summed over tensor
// BLOCKS: block 1 (layer) with micro-batch=8
// BLOCKS: parameters: 4096 dense
// BLOCKS-NOT: shares
// BLOCKS: block 2 (block) with micro-batch=8
// BLOCKS: parameters: 0 dense, 0 of experts, 0 summed over tensor
// BLOCKS-NEXT: shares: 4096 dense, 0 of experts, 0 summed over tensor

// Three tensors of 4096 parameters with four bytes each, and not four.

// PLAN: parameters 49152, gradients 49152, states 98304

module @tied {
  func.func @main(
      %table: tensor<64x64xf32> {smith.role = "param", smith.name = "table"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %table, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %logits = stablehlo.dot_general %1, %table, contracting_dims = [1] x [1]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%logits init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
