// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=bounds fix=mbs=4..8" | FileCheck %s

// Eight sequences in micro-batches of five are two, of which the second is padded:
// both take five sequences' time. A pass of a product takes 8192 per sequence,
// and there are eight of them; two kernels more take a nanosecond each.
//
//     size 4   2 · (8 · 4 · 8192 + 2)          size 7   2 · (8 · 7 · 8192 + 2)
//     size 5   2 · (8 · 5 · 8192 + 2)          size 8        8 · 8 · 8192 + 2
//     size 6   2 · (8 · 6 · 8192 + 2)

// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: 524292
// CHECK: step: 524292
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=5
// CHECK-NEXT: ops alone: 655364
// CHECK: step: 655364
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=6
// CHECK-NEXT: ops alone: 786436
// CHECK: step: 786436
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=7
// CHECK-NEXT: ops alone: 917508
// CHECK: step: 917508
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=8
// CHECK-NEXT: ops alone: 524290
// CHECK: step: 524290

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
