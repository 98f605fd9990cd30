// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages,ranking fix=mbs=8,recompute=full plans=1" | FileCheck %s --check-prefix=FULL
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages,ranking fix=mbs=8,recompute=selective plans=1" | FileCheck %s --check-prefix=SELECTIVE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages fix=mbs=8 forbid=recompute" | FileCheck %s --check-prefix=NEVER
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages,ranking fix=mbs=8,recompute=full,recomputed=layers plans=1" | FileCheck %s --check-prefix=LAYERS

// With one way of recomputing for all units every unit has it: two layers take
// 524290 more each, the first product 65536 and the sum a nanosecond.

// FULL: stage 0 on rank 0: units [0, 4), recompute 4 full
// FULL: plan 1: 4390927 tensor=1 pipeline=1 data=1 micro-batch=8 recompute=full
// FULL-NEXT: time: compute 3276810, recompute 1114117,

// Layers keep their inputs alone, and the first unit nothing. The sum keeps its
// input, which it need not without recomputation.

// FULL-NEXT: rank 0: {{.*}} activations 6144 for 1 micro-batches

// There is no attention whose inside could be dropped.

// SELECTIVE: stage 0 on rank 0: units [0, 4), recompute 4 selective
// SELECTIVE-NEXT: ranking
// SELECTIVE: plan 1: 3276810 tensor=1 pipeline=1 data=1 micro-batch=8 recompute=selective
// SELECTIVE-NEXT: time: compute 3276810, recompute 0,
// NEVER: stage 0 on rank 0: units [0, 4), recompute 4 none

// Where only layers recompute, units without attention keep everything.

// LAYERS: stage 0 on rank 0: units [0, 4), recompute 4 none
// LAYERS: plan 1: 3276810 tensor=1 pipeline=1 data=1 micro-batch=8
// LAYERS-NEXT: time: compute 3276810, recompute 0,

module @residual {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %up0: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.0.up"},
      %down0: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.0.down"},
      %up1: tensor<64x256xf32> {smith.role = "param", smith.name = "layers.1.up"},
      %down1: tensor<256x64xf32> {smith.role = "param", smith.name = "layers.1.down"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %up0, %down0)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %up1, %down1)
        : (tensor<8x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add
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
