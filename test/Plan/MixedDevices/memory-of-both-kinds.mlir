// RUN: sed '2s/"memory_gib": 1,/"memory_gib": 0.0001,/' %{inputs}/fast-and-slow.json > %t.small.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.small.json %{plain} margin=0 show=bounds,ranking fix=mbs=1,tp=1,pp=1 plans=2" | FileCheck %s

// The fast devices have 107374 bytes: too little for 196608 of parameters with
// gradients and states, but with ZeRO over two ranks or more for a share. The
// slow ones have room for everything.

// CHECK: a device of fast has 107374 bytes
// CHECK-NEXT: a device of plain has 1073741824 bytes
// CHECK: ranking: 2 plans
// CHECK: plan 1: [[#FIRST:]] tensor=1 pipeline=1 data={{[234]}}
// CHECK: plan 2: [[#]] tensor=1 pipeline=1

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
