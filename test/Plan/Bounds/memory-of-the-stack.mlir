// RUN: sed 's/"constant_gib": 0/"constant_gib": 0.5/' %{inputs}/plain.json > %t.profile
// RUN: sed 's/"constant_gib": 0/"constant_gib": 1/' %{inputs}/plain.json > %t.all
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/one-plain.json profile=%t.profile show=bounds,ranking fix=mbs=8" | FileCheck %s --check-prefix=HALF
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%{inputs}/one-plain.json profile=%t.all margin=0 show=bounds,ranking fix=mbs=8" | FileCheck %s --check-prefix=ALL

// What the software keeps for itself counts on every rank.

// HALF: every rank needs 536870912 bytes beside what it holds; parameters with gradients and states take 196608 bytes on all ranks
// HALF: plan 1
// HALF: rank 0: 537079808 of 966367641 bytes; parameters 49152, gradients 49152, states 98304, activations 4096 for 1 micro-batches, workspace 8192, messages 0, overhead 536870912

// Nothing fits beside all there is.

// ALL: every rank needs 1073741824 bytes
// ALL: a device of plain has 1073741824 bytes
// ALL: ops alone: no room
// ALL: ranking: 0 plans of 1 configurations
// ALL-NEXT: excluded: 1 without room, 0 by bounds

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
