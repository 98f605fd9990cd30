// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=space fix=mbs=2,tp=1,dp=1" | FileCheck %s --check-prefix=STAGES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=space fix=mbs=2,tp=1,dp=3" | FileCheck %s --check-prefix=DATA
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{fast-and-slow} show=space fix=mbs=2,tp=2,pp=2" | FileCheck %s --check-prefix=BLOCKS

// Two fast devices are pool 0, two slow ones pool 1. Ranks on one pool are
// neighbours, so of two pools one comes first.

// STAGES: configuration tensor=1 data=1 pipeline=1
// STAGES: pipeline ranks on pools 0{{$}}
// STAGES-NEXT: pipeline ranks on pools 1{{$}}
// STAGES: configuration tensor=1 data=1 pipeline=2
// STAGES: pipeline ranks on pools 0, 0{{$}}
// STAGES-NEXT: pipeline ranks on pools 0, 1{{$}}
// STAGES-NEXT: pipeline ranks on pools 1, 0{{$}}
// STAGES-NEXT: pipeline ranks on pools 1, 1{{$}}

// Three ranks need both kinds, two devices of one of them.

// STAGES: configuration tensor=1 data=1 pipeline=3
// STAGES: pipeline ranks on pools 0, 0, 1{{$}}
// STAGES-NEXT: pipeline ranks on pools 0, 1, 1{{$}}
// STAGES-NEXT: pipeline ranks on pools 1, 0, 0{{$}}
// STAGES-NEXT: pipeline ranks on pools 1, 1, 0{{$}}
// STAGES: configuration tensor=1 data=1 pipeline=4
// STAGES: pipeline ranks on pools 0, 0, 1, 1{{$}}
// STAGES-NEXT: pipeline ranks on pools 1, 1, 0, 0{{$}}

// Data ranks fill one pool and then the other.

// DATA: data ranks per pool 2, 1{{$}}
// DATA-NEXT: data ranks per pool 1, 2{{$}}
// DATA-NOT: data ranks

// A stage of two tensor ranks takes a whole pool.

// BLOCKS: configuration tensor=2 data=1 pipeline=2
// BLOCKS: pipeline ranks on pools 0, 1{{$}}
// BLOCKS-NEXT: pipeline ranks on pools 1, 0{{$}}
// BLOCKS-NOT: pipeline ranks

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
