// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s

// A layer that follows itself hands on what it takes, so of its four borders two
// are left. Both exchange as much: where the sum is whole an all-reduce forward
// and one backward,
//
//     2 (n - 1) / n · 8 · 64 · 4 = 2048 bytes
//
// and where it is split a gather (1024) and a scatter (1024), in each pass.

// CHECK: block 1 (layer) with micro-batch=8 tensor=2, tensor 2 over wire: 2 layouts
// CHECK-NEXT: bounds: ops alone 786436, fastest layout 790532
// CHECK: layout 0: takes (whole), hands on (whole)
// CHECK-NEXT: splits layers.*.up by n256, tanh by n256, layers.*.down by n256{{$}}
// CHECK-NEXT: time: forward 262146, backward 262146 + 262144, recompute 0 or 264194
// CHECK-NEXT: tensor exchanges: forward 2048, backward 2048
// CHECK-NEXT: memory: saves 10240, 10240 or 2048,

// Split, a rank saves half of the layer's input, too: 1024 bytes fewer.

// CHECK: layout 1: takes (split 1), hands on (split 1)
// CHECK-NEXT: splits layers.*.up by n256, tanh by n256, layers.*.down by n256, add by n64
// CHECK-NEXT: time: forward 262146, backward 262146 + 262144, recompute 0 or 264194
// CHECK-NEXT: tensor exchanges: forward 2048, backward 2048
// CHECK-NEXT: memory: saves 9216, 9216 or 1024,

// Bounds are sums as well: 4 · 131072 + 2 · 131072 for products, four kernels of
// a nanosecond, and 2 · 2048 of exchanges.

module @residual {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %up0: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.0.up"},
      %down0: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.0.down"},
      %up1: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.1.up"},
      %down1: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.1.down"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %up0, %down0)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %up1, %down1)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %up: tensor<64x256xf32>, %down: tensor<256x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.tanh %0 : tensor<8x256xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
        : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %3 = stablehlo.add %x, %2 : tensor<8x64xf32>
    return %3 : tensor<8x64xf32>
  }
}
