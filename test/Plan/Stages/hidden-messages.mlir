// RUN: sed 's/"pipeline_exposure": 1/"pipeline_exposure": 0/' %{inputs}/plain.json > %t.profile
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=stages fix=mbs=2,pp=2,tp=1,dp=1,schedule=1f1b" | FileCheck %s

// Where a stack hides messages altogether, ranks take what their units take: 32768
// for the first one, 49152 for each of two layers. Both ranks wait for 131074 in
// all; 4 · 81920 + 131074 / 2.

// CHECK: best: step 393217, played 393217
// CHECK: cut at 1: step 458761, ranks take 32768, 98306 per micro-batch, idle 131074, tail 0
// CHECK-NEXT: cut at 2: step 393217, ranks take 81920, 49154 per micro-batch, idle 131074, tail 0
// CHECK-NEXT: cut at 3: step 589825, ranks take 131072, 2 per micro-batch, idle 131074, tail 0

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
