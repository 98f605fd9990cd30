// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=ranking fix=mbs=1,tp=1,pp=1 plans=6" | FileCheck %s

// Four sequences make four micro-batches at most: with six devices two are idle.
// More ranks exchange more of 2 · 4096 gradients, 32768 bytes:
//
//     4 ranks   1 · 40962 + 2 · 3/4 · 32768
//     2 ranks   2 · 40962 +           32768
//     1 rank    4 · 40962
//     3 ranks   2 · 40962 + 2 · 2/3 · 32768      one of them has one, and waits

// CHECK: ranking: 4 plans of 4 configurations
// CHECK: plan 1: 90114 tensor=1 pipeline=1 data=4 micro-batch=1
// CHECK: plan 2: 114692 tensor=1 pipeline=1 data=2 micro-batch=1
// CHECK: plan 3: 125615 tensor=1 pipeline=1 data=3 micro-batch=1
// CHECK: plan 4: 163848 tensor=1 pipeline=1 data=1 micro-batch=1

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %x: tensor<4x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x64xf32>, %w: tensor<64x64xf32>) -> tensor<4x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    return %0 : tensor<4x64xf32>
  }
}
