// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=blocks fix=mbs=8" | FileCheck %s

// A product of m rows by k by n takes 2 m k n operations, of a nanosecond each:
//
//     up    2 · 8 · 64 · 256 = 262144      down  2 · 8 · 256 · 64 = 262144
//
// and tanh and the sum one nanosecond each, as no kernel takes less. Backward,
// up needs no gradient of the batch; tanh, sum and down have gradients of
// activations, both products have one of their parameters.

// CHECK: block 0 (block) with micro-batch=8: 1 layouts
// CHECK-NEXT: bounds: ops alone 1310724, fastest layout 1310724
// CHECK: time: forward 524290, backward 262146 + 524288, recompute 0 or 524290

// Between up and down are 8 · 256 values of 4 bytes: tanh keeps what it makes,
// and down needs the same, so 8192 bytes are saved once for each of both. With
// full recomputation nothing is, since the block has no input but the batch.

// CHECK-NEXT: memory: saves 16384, 16384 or 0,

// Each parameter counts once: 2 · 64 · 256.

// CHECK-NEXT: parameters: 32768 dense, 0 of experts, 0 summed over tensor

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
