// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=4,pp=2,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// Five units: the first takes 65536 per micro-batch (a product, and its weights'
// gradient), each of three layers 98304, the sum 2. What a stage hands on, 1024
// bytes, comes back as a gradient; the rank that sends it counts both.
//
//     cut at 1     65536 + 2048     3 · 98304 + 2
//     cut at 2    163840 + 2048     2 · 98304 + 2
//     cut at 3    262144 + 2048         98304 + 2
//     cut at 4    360448 + 2048                 2
//
// While the pipeline fills and drains each rank waits for the other one, so idle
// is the sum of both, whatever the cut. Half of it is in the step beside two
// micro-batches of the busiest rank: 2 · 196610 + 362498 / 2.

// CHECK: stages: 5 units
// CHECK-NEXT: tensor=1 data=1 pipeline=2 micro-batch=4 1f1b zero 0 order tensor-context-data-pipeline
// CHECK-NEXT: best: step 574469, played 574469
// CHECK-NEXT: stage 0 on rank 0: units [0, 2), recompute 2 none
// CHECK-NEXT: stage 1 on rank 1: units [2, 5), recompute 3 none
// CHECK-NEXT: cut at 1: step 771077, ranks take 67584, 294914 per micro-batch, idle 362498, tail 0
// CHECK-NEXT: cut at 2: step 574469, ranks take 165888, 196610 per micro-batch, idle 362498, tail 0
// CHECK-NEXT: cut at 3: step 709633, ranks take 264192, 98306 per micro-batch, idle 362498, tail 0
// CHECK-NEXT: cut at 4: step 906241, ranks take 362496, 2 per micro-batch, idle 362498, tail 0

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
