// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=ranking fix=mbs=1,pp=2,tp=1,dp=1,schedule=1f1b plans=1" | FileCheck %s --check-prefix=TWO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=ranking fix=mbs=1,pp=3,tp=1,dp=1,schedule=1f1b plans=1" | FileCheck %s --check-prefix=THREE

// Two stages lie on the two fast devices.

// TWO: plan 1: 295169 tensor=1 pipeline=2 data=1 micro-batch=1 1f1b recompute=none

// A third one needs a slow device, which takes one layer and the sum, 24578,
// while fast ones take 8192 + 12288 + 512 and 2 · 12288 + 512.

// THREE: ranking: 1 plans of 1 configurations
// THREE-NEXT: proof: exact
// THREE: plan 1: [[#]] tensor=1 pipeline=3 data=1 micro-batch=1 1f1b recompute=none

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
