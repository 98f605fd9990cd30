// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s

// Up split by its columns and down by its rows, with the same factor of 256
// elements, is the one layout worth having: every op has half of its work,
// 262144 / 2 = 131072 per product, and half of the parameters are on each rank.

// CHECK: block 0 (block) with micro-batch=8 tensor=2, tensor 2 over wire: 1 layouts
// CHECK-NEXT: bounds: ops alone 655364, fastest layout 657412
// CHECK: splits up by n256, tanh by n256, down by n256, reduce by n64
// CHECK-NEXT: time: forward 262146, backward 131074 + 262144, recompute 0 or 263170

// The sum of what down makes is scattered to the columns that the reduction
// splits: half of 8 · 64 · 4 = 2048 bytes leave each rank. Backward the gradient
// is gathered, which is as much. Full recomputation exchanges once more:
// 262146 + 1024.

// CHECK-NEXT: tensor exchanges: forward 1024, backward 1024

// Each rank saves its half of both tensors between the products.

// CHECK-NEXT: memory: saves 8192, 8192 or 0,
// CHECK-NEXT: parameters: 16384 dense

module @mlp {
  func.func @main(
      %up: tensor<64x256xf32> {smith.role = "param", smith.name = "up"},
      %down: tensor<256x64xf32> {smith.role = "param", smith.name = "down"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.tanh %0 : tensor<8x256xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
        : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
