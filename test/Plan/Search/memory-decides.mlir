// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.00018626460805535317,/' %{inputs}/two-plain.json > %t.json
// RUN: sed 's/"memory_gib": 1,/"memory_gib": 0.00013969847932457924,/' %{inputs}/two-plain.json > %t.less.json
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.json %{plain} margin=0 show=ranking fix=mbs=1,tp=1,pp=1 plans=1" | FileCheck %s --check-prefix=ROOM
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.less.json %{plain} margin=0 show=ranking fix=mbs=1,tp=1,pp=1 plans=1" | FileCheck %s --check-prefix=LESS
// RUN: shardsmith-opt %s -o /dev/null --print-search="cluster=%t.less.json %{plain} margin=0 show=ranking fix=mbs=1,pp=1,tp=1,zero=0 plans=1" | FileCheck %s --check-prefix=ZERO

// Two data ranks are faster than one. 12288 parameters with gradients and states
// take 196608 bytes; two layers save 256 bytes each, and one needs 1024 while it
// runs.

// ROOM: plan 1: [[#]] tensor=1 pipeline=1 data=2 micro-batch=1 recompute=none
// ROOM: rank 0: 198144 of 200000 bytes; parameters 49152, gradients 49152, states 98304, activations 512 for 1 micro-batches, workspace 1024,

// With 150000 bytes states must be shared, and then there is just room: ZeRO-1
// leaves each rank half of them, which is 49152 less.

// LESS: plan 1: [[#]] tensor=1 pipeline=1 data=2 zero=1 micro-batch=1 recompute=none
// LESS: rank 0: 148992 of 150000 bytes; parameters 49152, gradients 49152, states 49152, activations 512 for 1 micro-batches, workspace 1024,

// Without ZeRO nothing fits.

// ZERO: ranking: 0 plans
// ZERO: nearest: tensor=1 pipeline=1 data=
// ZERO-NEXT: missing: 48144 bytes, most are optimizer state
// ZERO-NEXT: tried: zero left open, fits

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
