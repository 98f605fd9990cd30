// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=space fix=mbs=8" | FileCheck %s --check-prefix=ALL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=space fix=mbs=8,devices=4" | FileCheck %s --check-prefix=FOUR
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{six-plain} show=space fix=mbs=8,devices=2..3" | FileCheck %s --check-prefix=RANGE

// Any product of degrees up to the number of devices is a configuration, so a
// plan may leave devices idle. With one micro-batch of 8 sequences on one data
// rank there are t · p <= 6 with p <= 5 units: 6 + 3 + 2 + 1 + 1 pairs.

// ALL: space: 13 configurations on at most 6 devices
// ALL: pipeline: 1, 2, 3, 4, 5
// ALL-NEXT:   not 6: 5 units in the chain

// Exactly four devices: 4 · 1, 2 · 2, 1 · 4. Two or three: 2 · 1, 1 · 2, 3 · 1
// and 1 · 3.

// FOUR: space: 3 configurations on at most 4 devices
// FOUR: configuration tensor=1 data=1 pipeline=4 micro-batch=8
// FOUR: configuration tensor=2 data=1 pipeline=2 micro-batch=8
// FOUR: configuration tensor=4 data=1 pipeline=1 micro-batch=8
// RANGE: space: 4 configurations on at most 3 devices
// RANGE: tensor=1 data=1 pipeline=2
// RANGE: tensor=1 data=1 pipeline=3
// RANGE: tensor=2 data=1 pipeline=1
// RANGE: tensor=3 data=1 pipeline=1

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
