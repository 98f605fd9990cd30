// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=chain,blocks fix=mbs=8" | FileCheck %s

// Two layers, one of another kind, a layer again: four segments between first
// and last unit's, but the layers are one block wherever they are. It has one
// table for all three of its units, and follows itself.

// CHECK: chain: 6 units in 5 segments of 4 blocks
// CHECK-NEXT: segment 0: units [0, 1) of block 0 (block)
// CHECK-NEXT: segment 1: units [1, 3) of block 1 (block)
// CHECK-NEXT: segment 2: units [3, 4) of block 2 (block)
// CHECK-NEXT: segment 3: units [4, 5) of block 1 (block)
// CHECK-NEXT: segment 4: units [5, 6) of block 3 (block)
// CHECK: block 1 (block): 3 units, 1 ops, 4096 parameters, hands on 256 bytes, follows itself
// CHECK-NEXT: block 2 (block): 1 units, 2 ops, 4096 parameters, hands on 256 bytes{{$}}

// No segment stands nearly alone, so a rank with several stages gets cuts from a
// list.

// CHECK: no long segment: ranks with several stages get listed cuts
// CHECK: blocks: 4 settings for 1 configurations
// CHECK: block 1 (block) with micro-batch=8: 1 layouts
// CHECK: block 2 (block) with micro-batch=8: 1 layouts

module @mixed {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "other.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.3.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @other(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
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
  func.func private @other(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = stablehlo.tanh %0 : tensor<8x64xf32>
    return %1 : tensor<8x64xf32>
  }
}
