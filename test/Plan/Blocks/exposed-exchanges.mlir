// RUN: sed 's/"cross_node_tensor_factor": 1,/"cross_node_tensor_factor": 3, "tensor_exposure": 0.5,/' %{inputs}/plain.json > %t.profile
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-plain.json profile=%t.profile show=blocks fix=tp=2,mbs=8" | FileCheck %s --check-prefix=INSIDE
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/two-nodes.json profile=%t.profile show=blocks fix=tp=4,mbs=8" | FileCheck %s --check-prefix=ACROSS

// Half of what the tensor axis exchanges is hidden: 512 and 1024 of 1024 and 2048
// bytes.

// INSIDE: block 1 (block) with micro-batch=8 tensor=2, tensor 2 over wire: 4 layouts
// INSIDE: layout 0: takes (whole), hands on (whole)
// INSIDE: tensor exchanges: forward 512, backward 1024

// Between a whole and a split border one of both passes exchanges nothing.

// INSIDE: layout 1: takes (whole), hands on (split 1)
// INSIDE-NEXT: splits layers.0.w by n64{{$}}
// INSIDE-NEXT: time: forward 32768, backward 32768 + 32768, recompute 0 or 32768
// INSIDE-NEXT: tensor exchanges: forward 0, backward 1024
// INSIDE: layout 2: takes (split 1), hands on (whole)
// INSIDE-NEXT: splits layers.0.w by n64_2
// INSIDE-NEXT: time: forward 32768, backward 32768 + 32768, recompute 0 or 33792
// INSIDE-NEXT: tensor exchanges: forward 1024, backward 0
// INSIDE: layout 3: takes (split 1), hands on (split 1)
// INSIDE: tensor exchanges: forward 512, backward 512

// Beyond a node exchanges take three times as long as alone: 3 / 2 of 1536 and
// of 2048.

// ACROSS: block 1 (block) with micro-batch=8 tensor=4, tensor 4 over wire 2, road 2: 4 layouts
// ACROSS: layout 0: takes (whole), hands on (whole)
// ACROSS: tensor exchanges: forward 2304, backward 3072

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
