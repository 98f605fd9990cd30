// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=bounds fix=mbs=4" | FileCheck %s

// One micro-batch of 4 sequences is 2 · 4 · 64 · 64 = 32768 operations per pass
// of a product: two passes of the first one, three of each of three layers, and
// two kernels of a nanosecond for the sum. Two micro-batches on one device:
//
//     2 · (11 · 32768 + 2) = 720900

// CHECK: bounds: 4 configurations
// CHECK-NEXT: every rank needs 0 bytes beside what it holds; parameters with gradients and states take 262144 bytes on all ranks
// CHECK-NEXT: a device of plain has 966367641 bytes
// CHECK-NEXT: configuration tensor=1 data=1 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: 720900
// CHECK-NEXT: fastest layouts: 720900
// CHECK-NEXT: best paths of any order: 720900
// CHECK-NEXT: best variant: 720900
// CHECK-NEXT: variant 1f1b zero 0 order tensor-context-data-pipeline: 720900
// CHECK-NEXT: step: 720900 tensor=1 pipeline=1 data=1 micro-batch=4 recompute=none

// Two data ranks take one micro-batch each. What they exchange is part of the
// bound of variants: an all-reduce of 4 · 4096 gradients of 4 bytes.

// CHECK-NEXT: configuration tensor=1 data=2 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: 360450
// CHECK-NEXT: fastest layouts: 360450
// CHECK-NEXT: best paths of any order: 360450
// CHECK-NEXT: best variant: 425986
// CHECK: step: 425986 tensor=1 pipeline=1 data=2 micro-batch=4 recompute=none

// Two stages: ops are spread evenly over the ranks, or one rank has two of the
// three layers, 2 · 2 · 98304 = 393216, which is more. A rank waits for the
// other to begin and to end.

// CHECK: configuration tensor=1 data=1 pipeline=2 micro-batch=4
// CHECK-NEXT: ops alone: 393216
// CHECK: step: 443397 tensor=1 pipeline=2 data=1 micro-batch=4 zb-h1 recompute=none

// Split products have half of the operations, and exchange: 2 · 3 · 1024, as the
// layers hand on columns.

// CHECK: configuration tensor=2 data=1 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: 360452
// CHECK-NEXT: fastest layouts: 366596
// CHECK-NEXT: best paths of any order: 366596
// CHECK: step: 366596 tensor=2 pipeline=1 data=1 micro-batch=4 recompute=none

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
