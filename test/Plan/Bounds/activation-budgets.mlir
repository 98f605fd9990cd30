// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=bounds fix=mbs=1,pp=2,tp=1,dp=1 margin=0" | FileCheck %s --check-prefix=CHECK
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=bounds fix=mbs=1,pp=2,tp=1,dp=1,schedule=gpipe margin=0" | FileCheck %s --check-prefix=GPIPE
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=bounds fix=mbs=1,pp=4,tp=1,dp=1,schedule=1f1b margin=0" | FileCheck %s --check-prefix=FOUR

// A rank without parameters divides its 1073741824 bytes among the micro-batches
// whose activations it holds (docs/schedules.md). Under 1F1B rank r of p holds
// p - r.

// CHECK: variant 1f1b zero 0
// CHECK-NEXT: room per micro-batch: 536870912 on 1 ranks, 1073741824 on 1 ranks

// Eager 1F1B holds 2 (p - r) - 1: three and one.

// CHECK: variant eager-1f1b zero 0
// CHECK-NEXT: room per micro-batch: 357913941 on 1 ranks, 1073741824 on 1 ranks

// Zero-bubble schedules hold p, 2 p, 2 p halves, and 2 p + 1 halves everywhere.

// CHECK: variant zb-h1 zero 0
// CHECK-NEXT: room per micro-batch: 536870912 on 2 ranks
// CHECK: variant zb-h2 zero 0
// CHECK-NEXT: room per micro-batch: 268435456 on 2 ranks
// CHECK: variant zb-v with 2 stages per rank zero 0
// CHECK-NEXT: room per micro-batch: 536870912 on 2 ranks
// CHECK: variant dualpipe-v with 2 stages per rank zero 0
// CHECK-NEXT: room per micro-batch: 429496729 on 2 ranks

// Interleaved, rank r holds (v - 1) p + 2 (p - r) - 1 of v parts of a
// micro-batch: with two stages 5 and 3 halves, with three 7 and 5 thirds.

// CHECK: variant interleaved with 2 stages per rank zero 0
// CHECK-NEXT: room per micro-batch: 429496729 on 1 ranks, 715827882 on 1 ranks
// CHECK: variant interleaved with 3 stages per rank zero 0
// CHECK-NEXT: room per micro-batch: 460175067 on 1 ranks, 644245094 on 1 ranks

// GPipe holds all eight.

// GPIPE: room per micro-batch: 134217728 on 2 ranks
// FOUR: room per micro-batch: 268435456 on 1 ranks, 357913941 on 1 ranks, 536870912 on 1 ranks, 1073741824 on 1 ranks

module @chain {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.3.w"},
      %w4: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.4.w"},
      %w5: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.5.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @layer(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = call @layer(%3, %w4) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %5 = call @layer(%4, %w5) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%5 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
