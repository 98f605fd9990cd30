// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=chain,blocks fix=mbs=8" | FileCheck %s --check-prefix=ONE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s --check-prefix=TWO

// Nothing repeats, so all of it is one unit: products of 64 by 64, 64 by 128 and
// 128 by 64, with tanh and exponential between them.
//
//     2 · 8 · 64 · (64 + 128 + 128)    forward, gradients of parameters
//     2 · 8 · 64 · (     128 + 128)    gradients of activations

// ONE: chain: 1 units in 1 segments of 1 blocks
// ONE: block 0 (block): 1 units, 6 ops, 20480 parameters, hands on 0 bytes
// ONE: time: forward 327683, backward 262147 + 327680, recompute 0 or 327683
// ONE: parameters: 20480 dense

// Two ranks: the products in the middle and at the end split the same factor of
// 128, and the first one its columns.

// TWO: block 0 (block) with micro-batch=8 tensor=2, tensor 2 over wire:
// TWO: splits a by n64{{.*}}, b by n128, {{.*}}c by n128
// TWO-NEXT: time: forward 163843, backward 131075 + 163840,

module @unlike {
  func.func @main(
      %a: tensor<64x64xf32> {smith.role = "param", smith.name = "a"},
      %b: tensor<64x128xf32> {smith.role = "param", smith.name = "b"},
      %c: tensor<128x64xf32> {smith.role = "param", smith.name = "c"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = stablehlo.tanh %0 : tensor<8x64xf32>
    %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x128xf32>) -> tensor<8x128xf32>
    %3 = stablehlo.exponential %2 : tensor<8x128xf32>
    %4 = stablehlo.dot_general %3, %c, contracting_dims = [1] x [0]
        : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%4 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
