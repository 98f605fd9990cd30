// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=bounds fix=mbs=8 margin=0" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=bounds fix=mbs=8" | FileCheck %s --check-prefix=TENTH
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=bounds fix=mbs=8 margin=0.5" | FileCheck %s --check-prefix=HALF

// A device has 2^30 bytes, and its driver keeps none of them. A tenth stays free
// unless the margin is another one.

// ALL: a device of plain has 1073741824 bytes
// TENTH: a device of plain has 966367641 bytes
// HALF: a device of plain has 536870912 bytes

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
