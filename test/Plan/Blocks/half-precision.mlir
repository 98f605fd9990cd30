// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=blocks,ranking fix=mbs=8" | FileCheck %s

// In 16 bits activations are half as large: a layer saves its input, 8 · 64 · 2
// bytes, and hands on as much.

// CHECK: block 1 (layer) with micro-batch=8: 1 layouts
// CHECK: time: forward 65536, backward 65536 + 65536, recompute 0 or 65536
// CHECK-NEXT: memory: saves 1024, 1024 or 1024, transient 4096, sends 1024

// 3 · 4096 parameters: two bytes each, gradients of four, and twelve of states,
// of which four are a copy in 32 bits.

// CHECK: parameters 24576, gradients 49152, states 147456

module @half {
  func.func @main(
      %in: tensor<64x64xbf16> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xbf16> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xbf16> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xbf16> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
    %0 = call @layer(%first, %w0) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
    %1 = call @layer(%0, %w1) : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
    %wide = stablehlo.convert %1 : (tensor<8x64xbf16>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%wide init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<8x64xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xbf16>, tensor<64x64xbf16>) -> tensor<8x64xbf16>
    return %0 : tensor<8x64xbf16>
  }
}
