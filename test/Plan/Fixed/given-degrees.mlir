// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=fixed fix=tp=2,mbs=8" | FileCheck %s --check-prefix=TENSOR
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=fixed fix=dp=2,zero=2,mbs=2 forbid=recompute=none" | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=fixed fix=tp=4" | FileCheck %s --check-prefix=DEVICES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=fixed fix=cp=2" | FileCheck %s --check-prefix=CONTEXT
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=fixed fix=tp=2,mbs=16" | FileCheck %s --check-prefix=BATCH

// The plan has the degrees that are given, one rank along every other axis, and
// the fastest layouts: 11 · 32768 + 2 operations on each of two ranks, and 3 · 2048
// bytes between columns.

// TENSOR: plan: 366594 tensor=2 pipeline=1 data=1 micro-batch=8 recompute=none
// TENSOR-NEXT: fits

// Layers are computed again in the given way, the first and the last unit never.

// DATA: zero=2 micro-batch=2 recompute=none:2+selective:3
// DEVICES: no plan: 4 ranks, but the cluster has 2 devices
// CONTEXT: no plan: context=2 exceeds the 1 positions of a sequence
// BATCH: no plan: micro-batches of 16 sequences; a step has 8

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
