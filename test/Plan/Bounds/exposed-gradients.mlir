// RUN: sed 's/"data_exposure": 1/"data_exposure": 0.25/' %{inputs}/plain.json > %t.profile
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=bounds fix=tp=1,dp=2,pp=1,mbs=4" | FileCheck %s --check-prefix=ONE
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=bounds fix=tp=1,dp=2,pp=1,mbs=2" | FileCheck %s --check-prefix=TWO

// A single micro-batch hides nothing of 3 · 4096 · 4 = 49152 bytes of gradients:
// they are there when it ends.

// ONE: ops alone: 262146
// ONE: best variant: 311298
// ONE-NEXT: variant 1f1b zero 0 order tensor-context-data-pipeline: 311298

// With two of them three quarters are hidden behind the last backward pass.

// TWO: ops alone: 262148
// TWO: variant 1f1b zero 0 order tensor-context-data-pipeline: 274436
// TWO-NEXT: variant 1f1b zero 1 order tensor-context-data-pipeline: 274436

// ZeRO-2 gathers 24576 of parameters once, of which a quarter shows, and scatters
// as many of gradients in either micro-batch, in full: 6144 + 2 · 24576. ZeRO-3
// moves 3 · 24576 in each.

// TWO-NEXT: variant 1f1b zero 2 order tensor-context-data-pipeline: 317444
// TWO-NEXT: variant 1f1b zero 3 order tensor-context-data-pipeline: 409604
// TWO-NEXT: step: 274436

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
