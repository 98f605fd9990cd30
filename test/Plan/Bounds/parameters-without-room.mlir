// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.00012207040563225747,/' %{inputs}/two-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=bounds,ranking fix=mbs=4" | FileCheck %s

// Four matrices of 4096 parameters with gradients and states, 16 bytes each, are
// 262144 bytes. A device has half of that: one cannot hold them, and two have no
// byte left for anything else.

// CHECK: parameters with gradients and states take 262144 bytes on all ranks
// CHECK-NEXT: a device of plain has 131072 bytes
// CHECK: configuration tensor=1 data=1 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: no room
// CHECK-NEXT: configuration tensor=1 data=2 pipeline=1 micro-batch=4
// CHECK-NEXT: ops alone: 360450
// CHECK-NEXT: fastest layouts: 360450
// CHECK-NEXT: best paths of any order: no room
// CHECK-NEXT: best variant: no room
// CHECK-NEXT: step: nothing fits

// CHECK: ranking: 0 plans of 4 configurations
// CHECK-NEXT: excluded: 1 without room, 3 by bounds

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
