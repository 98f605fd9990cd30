// RUN: sed 's/"layer_forward_us": 0/"layer_forward_us": 1000/' %{inputs}/plain.json > %t.profile
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/one-plain.json profile=%t.profile show=blocks,ranking fix=mbs=8" | FileCheck %s

// The host takes a millisecond to launch the forward pass of a block, 1.9 times
// that for the backward pass. Kernels of 131072 nanoseconds in all are nearly
// hidden behind it: (2900000^3 + 131072^3)^(1/3) = 2900089.

// CHECK: block 0 (block) with micro-batch=8: 1 layouts
// CHECK-NEXT: bounds: ops alone 131072, fastest layout 2900089
// CHECK: time: forward 1000000, backward 1834553 + 65536,

// The forward pass of 65536 waits for its launches, and the backward pass for the
// rest. Recomputing launches it once more.

// CHECK-SAME: recompute 0 or 1000078

// A layer has 196608 to hide: 2900301. The sum has hardly any kernel time.

// CHECK: block 1 (block) with micro-batch=8: 1 layouts
// CHECK-NEXT: bounds: ops alone 196608, fastest layout 2900301
// CHECK: block 2 (block) with micro-batch=8: 1 layouts
// CHECK-NEXT: bounds: ops alone 2, fastest layout 2900000

// The step is the sum of these three.

// CHECK: plan 1: 8700390 tensor=1

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
