// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=ranking fix=mbs=8,pp=1,tp=1 plans=3" | FileCheck %s --check-prefix=BATCH
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=ranking fix=mbs=1,pp=1,tp=2,dp=1 plans=1" | FileCheck %s --check-prefix=TENSOR

// One micro-batch of all sequences leaves nothing to share: one fast device.

// BATCH: ranking: 1 plans of 1 configurations
// BATCH: plan 1: 262146 tensor=1 pipeline=1 data=1 micro-batch=8

// The ranks of a tensor axis wait for each other in every op, so they lie on
// equal devices, the fast ones.

// TENSOR: plan 1: [[#]] tensor=2 pipeline=1 data=1 micro-batch=1
// TENSOR-NEXT: time: compute 131088, recompute 0, tensor 4096

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
