// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=chain,blocks fix=tp=1,pp=1,mbs=2,dp=1..4" | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=chain,blocks fix=pp=1,dp=1,mbs=8" | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=blocks fix=pp=1,dp=2,tp=2,mbs=4" | FileCheck %s --check-prefix=ORDERS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=dp=1,tp=1,pp=2,mbs=1..8" | FileCheck %s --check-prefix=SIZES

// A unit sees neither data ranks nor stages: four configurations that differ in
// these alone are one setting of each of the three blocks.

// DATA: blocks: 3 settings for 4 configurations

// It sees the tensor degree, of which there are four.

// TENSOR: blocks: 12 settings for 4 configurations

// Of two device orders each has its own links for the tensor axis: within a node,
// or between two.

// ORDERS: blocks: 6 settings for 1 configurations
// ORDERS: block 0 (block) with micro-batch=4 tensor=2, tensor 2 over wire
// ORDERS: block 0 (block) with micro-batch=4 tensor=2, tensor 2 over road

// And it sees the micro-batch.

// SIZES: blocks: 24 settings for 8 configurations
// SIZES: block 0 (block) with micro-batch=1:
// SIZES: block 0 (block) with micro-batch=8:

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
