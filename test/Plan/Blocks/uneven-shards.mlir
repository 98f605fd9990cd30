// RUN: split-file %s %t
// RUN: shardsmith-opt %t/even.mlir -o /dev/null --print-search="%{six-plain} show=blocks fix=mbs=8,tp=3" | FileCheck %s --check-prefix=THIRDS
// RUN: shardsmith-opt %t/odd.mlir -o /dev/null --print-search="%{six-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s --check-prefix=ODD

// 64 columns on three ranks are 22, 21 and 21: all wait for the first one, with
// 2 · 8 · 64 · 22 = 22528 operations and 64 · 22 = 1408 parameters.

// THIRDS: block 0 (block) with micro-batch=8 tensor=3, tensor 3 over wire: 1 layouts
// THIRDS: splits w by n64, reduce by n64
// THIRDS-NEXT: time: forward 22529, backward 1 + 22528,
// THIRDS: parameters: 1408 dense

// 63 columns on two ranks are 32 and 31, which is as slow as 64 would be, and no
// sum is needed. 64 rows of the matrix are split evenly, which is
// 2 · 8 · 32 · 63 = 32256 operations, but half of the 8 · 63 · 4 bytes of partial
// sums must be exchanged. That is slower and needs fewer parameters, so both are
// worth having.

// ODD: block 0 (block) with micro-batch=8 tensor=2, tensor 2 over wire: 2 layouts
// ODD-NEXT: bounds: ops alone 64514, fastest layout 65538
// ODD: layout 0
// ODD-NEXT: splits w by n63, reduce by n63
// ODD-NEXT: time: forward 32769, backward 1 + 32768, recompute 0 or 32769
// ODD-NEXT: memory
// ODD-NEXT: parameters: 2048 dense
// ODD: layout 1
// ODD-NEXT: splits w by n64, reduce by n63
// ODD-NEXT: time: forward 32257, backward 1 + 32256, recompute 0 or 33265
// ODD-NEXT: tensor exchanges: forward 1008, backward 1008
// ODD-NEXT: memory
// ODD-NEXT: parameters: 2016 dense

//--- even.mlir
module @product {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

//--- odd.mlir
module @product {
  func.func @main(
      %w: tensor<64x63xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x63xf32>) -> tensor<8x63xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x63xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
