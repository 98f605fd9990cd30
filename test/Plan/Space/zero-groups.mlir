// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,dp=4" | FileCheck %s --check-prefix=NODES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=mbs=2,dp=4" | FileCheck %s --check-prefix=SWITCH
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,dp=4 forbid=zero-groups" | FileCheck %s --check-prefix=WHOLE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,dp=4,zero=1" | FileCheck %s --check-prefix=ONE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,dp=4,fsdp=2" | FileCheck %s --check-prefix=GIVEN
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,dp=3" | FileCheck %s --check-prefix=THREE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,tp=2,dp=1" | FileCheck %s --check-prefix=SINGLE

// What ZeRO spreads is spread over all replicas, or over those of one node, of
// which there are two each.

// NODES: configuration tensor=1 data=4
// NODES: zero: 0, 1, 1 over 2 ranks, 2, 2 over 2 ranks, 3, 3 over 2 ranks{{$}}

// One node has no smaller part.

// SWITCH: zero: 0, 1, 2, 3{{$}}
// WHOLE: zero: 0, 1, 2, 3{{$}}
// ONE: zero: 1, 1 over 2 ranks{{$}}
// GIVEN: zero: 3 over 2 ranks{{$}}

// Three replicas fill one node and half of the other: groups of two would not
// cover them.

// THREE: zero: 0, 1, 2, 3{{$}}

// A single replica has nothing to spread over.

// SINGLE: zero: 0{{$}}

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
