// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space forbid=pp,dp" | FileCheck %s --check-prefix=AXES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=2..,mbs=8" | FileCheck %s --check-prefix=LEAST
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=tp=..1,mbs=8" | FileCheck %s --check-prefix=MOST
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=dp=1,tp=1,pp=2,mbs=2 forbid=zb-h1,zb-h2,zb-v,dualpipe-v,interleaved" | FileCheck %s --check-prefix=FAMILIES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=space fix=dp=2,tp=1,pp=1,mbs=4 forbid=zero" | FileCheck %s --check-prefix=ZERO

// Two tensor degrees with eight sizes each are left without two of the axes.

// AXES: space: 16 configurations on at most 2 devices
// AXES-NEXT: tensor: 1, 2
// AXES: data: 1
// AXES-NEXT: not 2: not allowed
// AXES: pipeline: 1
// AXES-NEXT: not 2: not allowed

// Ranges may have one end.

// LEAST: space: 1 configurations
// LEAST-NEXT: tensor: 2
// LEAST-NEXT: not 1: not allowed
// MOST: space: 2 configurations
// MOST-NEXT: tensor: 1
// MOST-NEXT: not 2: not allowed

// Of the families three are left.

// FAMILIES: schedules: gpipe, 1f1b, eager-1f1b{{$}}
// FAMILIES: not zb-h1: not allowed
// ZERO: zero: 0{{$}}

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
