// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=stages fix=mbs=1,pp=2,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// Fast devices, pool 0, take half as long for products. With the first rank on a
// fast device and the second on a slow one, four units against two:
//
//     rank 0   8192 + 3 · 12288 + 512 = 45568        rank 1   24576 + 2

// CHECK: order tensor-context-data-pipeline on pools 0, 1
// CHECK-NEXT: best: step 399617, played 399617
// CHECK-NEXT: stage 0 on rank 0: units [0, 4)
// CHECK-NEXT: stage 1 on rank 1: units [4, 6)
// CHECK: cut at 3: step 434449, ranks take 33280, 49154 per micro-batch
// CHECK-NEXT: cut at 4: step 399617, ranks take 45568, 24578 per micro-batch

// Both on fast ones: three against three.

// CHECK: on pools 0, 0
// CHECK-NEXT: best: step 295169, played 295169
// CHECK-NEXT: stage 0 on rank 0: units [0, 3)

// The first rank on a slow one: two against four.

// CHECK: on pools 1, 0
// CHECK-NEXT: best: step 370945, played 370945
// CHECK-NEXT: stage 0 on rank 0: units [0, 2)

// Both on slow ones: as on fast ones, in twice the time but for the messages.

// CHECK: on pools 1, 1
// CHECK-NEXT: best: step 585985, played 585985
// CHECK-NEXT: stage 0 on rank 0: units [0, 3)

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
