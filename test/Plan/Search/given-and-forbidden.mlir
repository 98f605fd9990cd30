// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking fix=mbs=2 forbid=pp,tp plans=1" | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking fix=mbs=2,dp=2,tp=2 plans=1" | FileCheck %s --check-prefix=BOTH
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking fix=mbs=2,dp=2,tp=1,pp=1,zero=3 plans=1" | FileCheck %s --check-prefix=ZERO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking fix=mbs=2,recompute=full,tp=4 plans=1" | FileCheck %s --check-prefix=AGAIN

// Without pipeline and tensor ranks data ranks are left: four of them have one
// micro-batch each of 8 passes of 2 · 2 · 64 · 64 and 2 operations, and move 73728
// bytes of gradients in a ring.

// DATA: plan 1: 204802 tensor=1 pipeline=1 data=4 micro-batch=2 recompute=none
// DATA-NEXT: time: compute 131074, {{.*}}data 73728
// BOTH: plan 1: [[#]] tensor=2 pipeline=1 data=2 micro-batch=2 recompute=none
// ZERO: plan 1: [[#]] tensor=1 pipeline=1 data=2 zero=3 micro-batch=2 recompute=none

// ZeRO-3 gathers parameters twice and scatters gradients: 3 · 24576 per
// micro-batch, of which each rank has two.

// ZERO-NEXT: time: compute 262148, recompute 0, tensor {{[0-9]+}}, context 0, expert 0, data 147456
// AGAIN: recompute=full

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
