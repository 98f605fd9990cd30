// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.0010633469559252263,/' %{inputs}/two-plain.json > %t.json
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.0010633460246026517,/' %{inputs}/two-plain.json > %t.less.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=stages fix=mbs=2,pp=2,tp=1,dp=1,schedule=1f1b forbid=recompute=selective" | FileCheck %s --check-prefix=ENOUGH
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.less.json %{plain} margin=0 show=stages,ranking fix=mbs=2,pp=2,tp=1,dp=1,schedule=1f1b forbid=recompute=selective" | FileCheck %s --check-prefix=LESS
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.less.json %{plain} margin=0 show=stages fix=mbs=2,pp=2,tp=1,dp=1,schedule=gpipe forbid=1f1b" | FileCheck %s --check-prefix=GPIPE

// The first rank holds 69632 parameters of 16 bytes: 1114112. Under 1F1B it has
// two micro-batches in flight, each with 2 · 4608 bytes of two layers, needs 8192
// while a layer runs, and has two messages of 512: 1141760 bytes. The last rank
// has one micro-batch in flight. Three layers fit nowhere.

// ENOUGH: best: step 4084265, played 4084265
// ENOUGH-NEXT: stage 0 on rank 0: units [0, 3), recompute 3 none
// ENOUGH-NEXT: stage 1 on rank 1: units [3, 6), recompute 3 none
// ENOUGH-NEXT: cut at 1: no room on rank 1
// ENOUGH-NEXT: cut at 2: no room on rank 1
// ENOUGH-NEXT: cut at 3: step 4084265, ranks take 820232, 786442 per micro-batch, idle 1606674, tail 0
// ENOUGH-NEXT: cut at 4: no room on rank 0
// ENOUGH-NEXT: cut at 5: no room on rank 0

// With a byte less the first rank computes one layer again, which costs 131074
// per micro-batch, and the last one none.

// LESS: best: step 4674098, played 4674098
// LESS-NEXT: stage 0 on rank 0: units [0, 3), recompute 2 none, 1 full
// LESS-NEXT: stage 1 on rank 1: units [3, 6), recompute 3 none
// LESS: cut at 3: step 4674098, ranks take 951306, 786442 per micro-batch, idle 1737748, tail 0
// LESS: activations 10240 for 2 micro-batches, workspace 12288, messages 1024

// GPipe holds all four micro-batches: 2 · 4608 · 4 and even 4 · 5120 bytes are
// too much, and both layers of the first rank are computed again.

// GPIPE: stage 0 on rank 0: units [0, 3), recompute 1 none, 2 full

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
