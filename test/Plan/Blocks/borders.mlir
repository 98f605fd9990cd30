// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s

// The first product needs no sum, whichever way its result is handed on: split by
// columns as it is made, or gathered, which is 1024 of 2048 bytes.

// CHECK: block 0 (block) with micro-batch=8 tensor=2, tensor 2 over wire: 2 layouts
// CHECK: layout 0: takes (), hands on (whole)
// CHECK-NEXT: splits in by n64
// CHECK-NEXT: time: forward 32768, backward 0 + 32768, recompute 0 or 33792
// CHECK-NEXT: tensor exchanges: forward 1024, backward 0
// CHECK-NEXT: memory: saves 0, 0 or 0, transient 2048, sends 2048
// CHECK: layout 1: takes (), hands on (split 1)
// CHECK-NEXT: splits in by n64
// CHECK-NEXT: time: forward 32768, backward 0 + 32768, recompute 0 or 32768
// CHECK-NEXT: memory: saves 0, 0 or 0, transient 2048, sends 1024

// A single product between two others: whole to whole it gathers its result and
// sums up the gradient of its input (an all-reduce of 2048 bytes); split to
// split it gathers its input and scatters that gradient.

// CHECK: block 1 (layer) with micro-batch=8 tensor=2, tensor 2 over wire: 2 layouts
// CHECK: layout 0: takes (whole), hands on (whole)
// CHECK: tensor exchanges: forward 1024, backward 2048
// CHECK: layout 1: takes (split 1), hands on (split 1)
// CHECK: tensor exchanges: forward 1024, backward 1024

// The sum at the end takes either; a split input leaves no exchange, and what
// reads a whole one in parts gathers the gradient.

// CHECK: block 2 (block) with micro-batch=8 tensor=2, tensor 2 over wire: 3 layouts
// CHECK: layout 0: takes (whole), hands on ()
// CHECK-NOT: exchanges
// CHECK: layout 1: takes (whole), hands on ()
// CHECK-NEXT: splits reduce by n64
// CHECK-NEXT: time: forward 1, backward 1 + 0, recompute 0 or 1
// CHECK-NEXT: tensor exchanges: forward 0, backward 1024
// CHECK: layout 2: takes (split 1), hands on ()
// CHECK-NEXT: splits reduce by n64
// CHECK-NEXT: time
// CHECK-NEXT: memory

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
