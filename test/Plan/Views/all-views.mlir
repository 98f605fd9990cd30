// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} fix=mbs=8" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=ranking,chain fix=mbs=8,tp=1" | FileCheck %s --check-prefix=ORDER
// RUN: shardsmith-opt %s --print-search="%{two-plain} show=chain" | FileCheck %s --check-prefix=MODULE

// Without `show` all views are there, in the order of the search; with it those
// that are named, as they are named.

// ALL: chain: 1 units
// ALL: space: {{[0-9]+}} configurations
// ALL: blocks: {{[0-9]+}} settings
// ALL: bounds: {{[0-9]+}} configurations
// ALL: stages: 1 units
// ALL: ranking: {{[0-9]+}} plans
// ALL: equal stages
// ORDER-NOT: space:
// ORDER: ranking: 1 plans of 1 configurations
// ORDER-NOT: space:
// ORDER: chain: 1 units
// ORDER-NOT: stages:

// The module itself is not changed.

// MODULE: chain: 1 units
// MODULE: module @product {
// MODULE-NOT: smith.plan

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
