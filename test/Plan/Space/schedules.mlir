// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=2,mbs=2" | FileCheck %s --check-prefix=MANY
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=2,mbs=8" | FileCheck %s --check-prefix=ONE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=3,mbs=2" | FileCheck %s --check-prefix=UNITS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=2,mbs=2 forbid=1f1b" | FileCheck %s --check-prefix=WITHOUT
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=2,mbs=2,vpp=2" | FileCheck %s --check-prefix=STAGES
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=2,mbs=3,rounds=whole" | FileCheck %s --check-prefix=ROUNDS
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=space fix=tp=1,dp=1,pp=1,mbs=8" | FileCheck %s --check-prefix=ALONE

// With two ranks and four micro-batches every family runs: V-shaped ones need
// three and four. GPipe holds more than 1F1B, but its messages may come in time
// where those of 1F1B are waited for.

// MANY: configuration tensor=1 data=1 pipeline=2 micro-batch=2: 4 micro-batches
// MANY: schedules: gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2, zb-v with 2 stages per rank, dualpipe-v with 2 stages per rank, interleaved with 2 stages per rank
// MANY-NOT: not

// One micro-batch is too few for the V-shaped families.

// ONE: schedules: gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2, interleaved with 2 stages per rank
// ONE-NEXT: not zb-v with 2 stages per rank: needs 3 micro-batches
// ONE-NEXT: not dualpipe-v with 2 stages per rank: needs 4 micro-batches

// Three ranks with two stages each would need six units; there are five.

// UNITS: schedules: gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2
// UNITS-NEXT: not interleaved with 2 stages per rank: 6 stages for 5 units
// UNITS-NEXT: not zb-v with 2 stages per rank: 6 stages for 5 units
// UNITS-NEXT: not dualpipe-v with 2 stages per rank: 6 stages for 5 units

// Families may be left out.

// WITHOUT: schedules: gpipe, eager-1f1b, zb-h1
// WITHOUT-NEXT: not 1f1b: not allowed

// Two stages per rank leave the families that have several.

// STAGES: schedules: zb-v with 2 stages per rank, dualpipe-v with 2 stages per rank, interleaved with 2 stages per rank
// STAGES-NEXT: not gpipe: not allowed
// STAGES-NEXT: not 1f1b: not allowed

// Three micro-batches of two ranks are a round and a half.

// ROUNDS: micro-batch=3: 3 micro-batches
// ROUNDS: schedules: gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2, zb-v with 2 stages per rank
// ROUNDS: not interleaved with 2 stages per rank: micro-batches do not fill rounds of 2

// On one rank a single family stands for all.

// ALONE: schedules: 1f1b
// ALONE-NOT: not gpipe

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
