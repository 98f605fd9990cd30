// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages,ranking fix=mbs=8,recompute=none+full+none:2 plans=1" | FileCheck %s
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=4,pp=2,stages=1+3,schedule=1f1b,recompute=none:2+full+none" | FileCheck %s --check-prefix=STAGES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=stages fix=mbs=8,recompute=full:4,recomputed=layers" | FileCheck %s --check-prefix=LAYERS
// RUN: not shardsmith-opt %s --search-strategy="%{one-plain} fix=recompute=none:3" 2>&1 | FileCheck %s --check-prefix=UNITS
// RUN: not shardsmith-opt %s --search-strategy="%{one-plain} fix=recompute=none:3+half" 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not shardsmith-opt %s --search-strategy="%{one-plain} fix=recompute=none,recompute=none:3+full" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shardsmith-opt %s --search-strategy="%{one-plain} fix=recompute=none:3+full forbid=recompute" 2>&1 | FileCheck %s --check-prefix=FORBID

// What each unit recomputes, in the order of the chain: chosen-recomputation.mlir
// has the same one, of whose layers each takes 524290 more. Equal units differ, so
// that which of them is which matters where the chain is cut.

// CHECK: stage 0 on rank 0: units [0, 4), recompute 3 none, 1 full
// CHECK: plan 1: 3801100 tensor=1 pipeline=1 data=1 micro-batch=8 recompute=none:3+full:1
// CHECK-NEXT: time: compute 3276810, recompute 524290,

// STAGES: stage 0 on rank 0: units [0, 1), recompute 1 none
// STAGES-NEXT: stage 1 on rank 1: units [1, 4), recompute 2 none, 1 full

// LAYERS: stage 0 on rank 0: units [0, 4), recompute 4 none

// UNITS: error: what was given leaves no plan: recompute has 3 units, and the model has 4
// CHOICE: error: fix: recompute=none:3+half: expected none, selective or full of so many units in turn, such as none:1+full:3
// TWICE: error: fix: recompute=none:3+full contradicts what was given before
// FORBID: error: forbid: recompute contradicts what was given before

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
