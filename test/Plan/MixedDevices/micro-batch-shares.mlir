// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=ranking fix=mbs=1,pp=1,tp=1 plans=6" | FileCheck %s

// A micro-batch takes 2 · 8192 + 2 · 24576 + 2 = 65538 on a slow device, 32770 on
// a fast one. Of eight, two fast ranks take three each and two slow ones one each:
// 3 · 32770 against 65538. The gradients, 3 · 4096 of 4 bytes, move 2 · 3 / 4
// times around the ring of four: 73728.

// CHECK: ranking: 4 plans of 4 configurations
// CHECK-NEXT: proof: exact, cost 172038, no plan below 172038
// CHECK: plan 1: 172038 tensor=1 pipeline=1 data=4 micro-batch=1 micro-batches=2x3@0,2x1@1 order=data,tensor,context,pipeline recompute=none
// CHECK-NEXT: time: compute 98310, {{.*}}data 73728

// The two fast ones alone take four each, and exchange 49152.

// CHECK: plan 2: 180232 tensor=1 pipeline=1 data=2 micro-batch=1 recompute=none
// CHECK-NEXT: time: compute 131080, {{.*}}data 49152

// A slow one that takes two is as slow as fast ones with four: three of them have
// more to exchange, 65536.

// CHECK: plan 3: 196612 tensor=1 pipeline=1 data=3 micro-batch=1 micro-batches=2x3@0,1x2@1 order=data,tensor,context,pipeline recompute=none
// CHECK-NEXT: time: compute 131076, {{.*}}data 65536

// One fast device does all eight.

// CHECK: plan 4: 262160 tensor=1 pipeline=1 data=1 micro-batch=1 recompute=none

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
