// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=ranking plans=1 fix=mbs=8" | FileCheck %s --check-prefix=ONE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=ranking plans=20 fix=mbs=8" | FileCheck %s --check-prefix=ALL

// Asked for one plan, the search excludes by bounds what cannot be as fast; asked
// for more than there are configurations it looks at all of them. The first plan
// is the same: 64 columns on six ranks are 11 at most, 5 · 2 · 8 · 64 · 11 + 2.

// ONE: ranking: 1 plans of [[#CONFIGURATIONS:]] configurations
// ONE-NEXT: proof: exact, cost 59736, no plan below 59736
// ONE-NEXT: excluded: 0 without room, [[#CONFIGURATIONS-1]] by bounds
// ONE-NEXT: plan 1: 59736 tensor=6 pipeline=1 data=1 micro-batch=8 recompute=none
// ONE-NEXT: time: compute 56322,
// ALL: ranking: [[ALL:[0-9]+]] plans of [[ALL]] configurations
// ALL-NEXT: proof: exact, cost 59736, no plan below 59736
// ALL-NEXT: excluded: 0 without room, 0 by bounds
// ALL-NEXT: plan 1: 59736 tensor=6 pipeline=1 data=1 micro-batch=8 recompute=none

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
