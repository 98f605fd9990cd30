// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=ranking fix=mbs=8 plans=20" | FileCheck %s

// One micro-batch on at most four devices: t · p <= 4 with three units make seven
// configurations, ranked by their steps. On four tensor ranks each pass of each
// product takes 2 · 8 · 64 · 16 = 16384, five in all, and a sum of 1 + 1; a layer
// gathers and scatters three quarters of 2048 bytes.

// CHECK: ranking: 7 plans of 7 configurations
// CHECK-NEXT: proof: exact, cost 84994, no plan below 84994
// CHECK-NEXT: excluded: 0 without room, 0 by bounds
// CHECK-NEXT: plan 1: 84994 tensor=4 pipeline=1 data=1 micro-batch=8 recompute=none
// CHECK-NEXT: time: compute 81922, recompute 0, tensor 3072, context 0, expert 0, data 0, pipeline 0, bubble 0, optimizer 0, straggler 0, fixed 0

// A quarter of 2 · 4096 parameters of 4 bytes, gradients as large, twice that in
// states; a quarter of 2048 bytes saved.

// CHECK-NEXT: rank 0: 38400 of 966367641 bytes; parameters 8192, gradients 8192, states 16384, activations 512 for 1 micro-batches, workspace 5120, messages 0, overhead 0

// Three ranks have 22 of 64 columns: 5 · 2 · 8 · 64 · 22 + 2.

// CHECK-NEXT: plan 2: 115373 tensor=3 pipeline=1 data=1 micro-batch=8 recompute=none
// CHECK-NEXT: time: compute 112642
// CHECK: not first: 35.7 % slower; most of it is kernels
// CHECK: plan 3: 151555 tensor=2 pipeline=2 data=1 micro-batch=8 zb-h1 recompute=none
// CHECK: not first: 78.3 % slower; most of it is pipeline bubble
// CHECK: plan 4: 165890 tensor=2 pipeline=1 data=1
// CHECK: plan 5: 296963 tensor=1 pipeline=2 data=1
// CHECK: plan 6: 327682 tensor=1 pipeline=1 data=1
// CHECK-NEXT: time: compute 327682, recompute 0, tensor 0,

// Three stages of one unit each are slower than one device: a micro-batch goes
// through all of them, with messages.

// CHECK: plan 7: 337239 tensor=1 pipeline=3 data=1
// CHECK: not first: 296.8 % slower; most of it is pipeline bubble
// CHECK-NOT: plan

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
