// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=chain,stages fix=mbs=4,pp=2,vpp=2,tp=1,dp=1,schedule=interleaved" | FileCheck %s

// Seven units of two kinds that take equally long, in turn. No segment stands
// nearly alone, so cuts come from a list; there are 6 over 3 = 20.

// CHECK: chain: 7 units in 6 segments of 4 blocks
// CHECK: no long segment: ranks with several stages get listed cuts

// Two micro-batches of two ranks: rank 0 has the first unit, two more, and two
// messages; rank 1 three units, the sum and one message.
//
//     rank 0   65536 + 2 · 98305 + 2 · 2048        rank 1   3 · 98305 + 2 + 2048
//
// and the step by sums is 2 · 296964 + 563206 / 4. When the schedule is played,
// stages wait for each other, and it takes longer.

// CHECK: best: step 734730, played 759818
// CHECK-NEXT: stage 0 on rank 0: units [0, 1)
// CHECK-NEXT: stage 1 on rank 1: units [1, 2)
// CHECK-NEXT: stage 2 on rank 0: units [2, 4)
// CHECK-NEXT: stage 3 on rank 1: units [4, 7)

// Several cuts have the same sums; the first of them is the best one.

// CHECK-NEXT: cut at 1, 2, 3: step 931342, ranks take 167936, 395270 per micro-batch, idle 563206, tail 0
// CHECK-NEXT: cut at 1, 2, 4: step 734730, ranks take 266242, 296964 per micro-batch, idle 563206, tail 0
// CHECK: cut at 1, 3, 5: step 734730, ranks take 266242, 296964 per micro-batch, idle 563206, tail 0
// CHECK: cut at 2, 3, 4: step 734730, ranks take 266242, 296964 per micro-batch, idle 563206, tail 0
// CHECK: cut at 4, 5, 6: step 1066506, ranks take 462852, 100354 per micro-batch, idle 563206, tail 0

module @mixed {
  func.func @main(
      %in: tensor<64x64xf32> {smith.role = "param", smith.name = "in"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.1.w"},
      %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "other.2.w"},
      %w3: tensor<64x64xf32> {smith.role = "param", smith.name = "layer.3.w"},
      %w4: tensor<64x64xf32> {smith.role = "param", smith.name = "other.4.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %2 = call @other(%1, %w2) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %3 = call @layer(%2, %w3) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = call @other(%3, %w4) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%4 init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
  func.func private @other(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = stablehlo.tanh %0 : tensor<8x64xf32>
    return %1 : tensor<8x64xf32>
  }
}
