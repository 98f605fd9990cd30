// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=mbs=2,tp=2,dp=2" | FileCheck %s --check-prefix=SWITCH
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,tp=2,dp=2" | FileCheck %s --check-prefix=NODES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,tp=2,dp=2,order=dp-tp-cp-pp" | FileCheck %s --check-prefix=GIVEN
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=space fix=mbs=2,pp=2,tp=2" | FileCheck %s --check-prefix=STAGES

// On one switch all devices are alike, and no order leads to other links than
// the usual one.

// SWITCH: configuration tensor=2 data=2
// SWITCH-NEXT: orders: tensor-context-data-pipeline{{$}}

// In two nodes of two either the tensor axis is inside a node, or the data axis.
// Axes of one rank come last, and make no further orders.

// NODES: configuration tensor=2 data=2
// NODES-NEXT: orders: tensor-context-data-pipeline, data-tensor-context-pipeline{{$}}
// GIVEN: configuration tensor=2 data=2
// GIVEN-NEXT: orders: data-tensor-context-pipeline{{$}}
// STAGES: configuration tensor=2 data=1 pipeline=2
// STAGES-NEXT: orders: tensor-context-data-pipeline, pipeline-tensor-context-data{{$}}

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
