// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.0020980835892260075,/' %{inputs}/one-plain.json > %t.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=stages,ranking fix=mbs=8 forbid=recompute=selective" | FileCheck %s --check-prefix=TWO
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.002098082657903433,/' %{inputs}/one-plain.json > %t.less.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.less.json %{plain} margin=0 show=stages fix=mbs=8 forbid=recompute=selective" | FileCheck %s --check-prefix=THREE
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.002014159318059683,/' %{inputs}/one-plain.json > %t.least.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.least.json %{plain} margin=0 show=stages,bounds fix=mbs=8 forbid=recompute=selective" | FileCheck %s --check-prefix=NONE

// Parameters of five units with gradients and states take 135168 · 16 = 2162688
// bytes. A layer saves 18432, or 2048 if it is computed again, and needs 32768
// while it runs; a layer that is computed again needs all it would have saved as
// well, 49152 in all. With k of four layers recomputed:
//
//     k = 0   4 · 18432            + 32768 = 106496
//     k = 1   3 · 18432 + 1 · 2048 + 49152 = 106496
//     k = 2   2 · 18432 + 2 · 2048 + 49152 =  90112
//     k = 3   1 · 18432 + 3 · 2048 + 49152 =  73728
//
// With 2162688 + 90112 bytes two are enough.

// TWO: best: step 7471126, played 7471126
// TWO-NEXT: stage 0 on rank 0: units [0, 6), recompute 4 none, 2 full
// TWO: plan 1: 7471126 tensor=1 pipeline=1 data=1 micro-batch=8 recompute=none:4+full:2

// Each takes 2 · 262144 + 2 nanoseconds: products, tanh and sum of a pass.

// TWO-NEXT: time: compute 6422546, recompute 1048580,
// TWO-NEXT: rank 0: 2252800 of 2252800 bytes; parameters 540672, gradients 540672, states 1081344, activations 40960 for 1 micro-batches, workspace 49152,

// A byte less, and it must be three.

// THREE: best: step 7995416, played 7995416
// THREE-NEXT: stage 0 on rank 0: units [0, 6), recompute 3 none, 3 full

// Where not even parameters have room nothing helps.

// NONE: no stages fit
// NONE: ops alone: no room

module @residual {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %up0: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.0.up"},
      %down0: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.0.down"},
      %up1: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.1.up"},
      %down1: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.1.down"},
      %up2: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.2.up"},
      %down2: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.2.down"},
      %up3: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.3.up"},
      %down3: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.3.down"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %up0, %down0)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %up1, %down1)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %up2, %down2)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %up3, %down3)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %up: tensor<64x256xf32>, %down: tensor<256x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.tanh %0 : tensor<8x256xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
        : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %3 = stablehlo.add %x, %2 : tensor<8x64xf32>
    return %3 : tensor<8x64xf32>
  }
}
