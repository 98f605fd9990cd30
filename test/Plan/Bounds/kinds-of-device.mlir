// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=bounds fix=mbs=1,pp=1..2,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// A fast device does two operations in a nanosecond: 8 · (14 · 4096 + 2) for the
// chain on one of them. Relaxed paths say nothing where devices differ.

// CHECK: a device of fast has 966367641 bytes
// CHECK-NEXT: a device of plain has 966367641 bytes
// CHECK-NEXT: configuration tensor=1 data=1 pipeline=1 micro-batch=1
// CHECK-NEXT: ops alone: 458768
// CHECK-NEXT: fastest layouts: 458768
// CHECK-NEXT: best paths of any order: 0
// CHECK-NEXT: best variant: 458768
// CHECK: step: 458768 tensor=1 pipeline=1 data=1 micro-batch=1 recompute=none

// Half of that on two ranks. Each kind has its own room.

// CHECK: configuration tensor=1 data=1 pipeline=2 micro-batch=1
// CHECK-NEXT: ops alone: 229384
// CHECK: variant 1f1b zero 0
// CHECK-NEXT: room per micro-batch: 483183820 on 1 ranks, 966367641 on 1 ranks
// CHECK-NEXT: room per micro-batch: 483183820 on 1 ranks, 966367641 on 1 ranks
// CHECK-NEXT: step: 295169 tensor=1 pipeline=2 data=1 micro-batch=1 1f1b recompute=none

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
