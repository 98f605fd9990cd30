// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=blocks fix=mbs=8,tp=2,pp=1" | FileCheck %s

// Every block has a setting on each kind of device. Fast devices take half as
// long for products, and exchange as they do on slow ones.

// CHECK: blocks: 6 settings for 1 configurations
// CHECK: block 0 (block) with micro-batch=8 tensor=2 pool=0, tensor 2 over wire: 2 layouts
// CHECK-NEXT: bounds: ops alone 32768, fastest layout 32768
// CHECK: layout 0: takes (), hands on (whole)
// CHECK: time: forward 16384, backward 0 + 16384, recompute 0 or 17408
// CHECK-NEXT: tensor exchanges: forward 1024, backward 0
// CHECK: block 0 (block) with micro-batch=8 tensor=2 pool=1, tensor 2 over wire: 2 layouts
// CHECK-NEXT: bounds: ops alone 65536, fastest layout 65536
// CHECK: layout 0: takes (), hands on (whole)
// CHECK: time: forward 32768, backward 0 + 32768, recompute 0 or 33792
// CHECK-NEXT: tensor exchanges: forward 1024, backward 0
// CHECK: block 1 (layer) with micro-batch=8 tensor=2 pool=0
// CHECK: block 1 (layer) with micro-batch=8 tensor=2 pool=1

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
