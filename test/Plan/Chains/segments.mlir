// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=chain fix=mbs=8" | FileCheck %s

// Equal neighbours are one segment. One sequence is a row of 64 elements of four
// bytes, which is what a unit hands on; a product of 64 by 64 has 4096
// parameters.

// CHECK: chain: 5 units in 3 segments of 3 blocks, 8 sequences of 1 positions
// CHECK-NEXT: segment 0: units [0, 1) of block 0 (block)
// CHECK-NEXT: segment 1: units [1, 4) of block 1 (layer)
// CHECK-NEXT: segment 2: units [4, 5) of block 2 (block)
// CHECK-NEXT: block 0 (block): 1 units, 1 ops, 4096 parameters, hands on 256 bytes{{$}}
// CHECK-NEXT: block 1 (layer): 3 units, 1 ops, 4096 parameters, hands on 256 bytes, follows itself
// CHECK-NEXT: block 2 (block): 1 units, 1 ops, 0 parameters, hands on 0 bytes{{$}}

// At most one unit is before the layers, and one behind them.

// CHECK-NEXT: long segment: 1

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
