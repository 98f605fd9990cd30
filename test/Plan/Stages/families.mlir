// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages fix=mbs=1,pp=2,tp=1,dp=1 forbid=interleaved,dualpipe-v,zb-v" | FileCheck %s

// One chain under four families. Forward passes take f = 7 · 8192 + 1, gradients of
// activations i = 6 · 8192 + 1, gradients of parameters w = 7 · 8192. Rank 0 takes
// 90112 per micro-batch and 512 for its message, there and back:
//
//     1f1b         8 · 90624 + (f + i + w + 512) / 2
//     eager-1f1b   8 · 90112 + (f + i + w + 512) / 2     messages travel meanwhile
//     zb-h1        8 · 90624 + (f + i - w + 512) / 2
//     zb-h2        8 · 90624                             two gradients fill more

// CHECK: tensor=1 data=1 pipeline=2 micro-batch=1 1f1b zero 0
// CHECK-NEXT: best: step 807169, played 807169
// CHECK-NEXT: stage 0 on rank 0: units [0, 4), recompute 4 none
// CHECK-NEXT: stage 1 on rank 1: units [4, 8), recompute 4 none
// CHECK: cut at 4: step 807169, ranks take 90624, 73730 per micro-batch, idle 164354, tail 0
// CHECK: micro-batch=1 eager-1f1b zero 0
// CHECK-NEXT: best: step 803073, played 803073
// CHECK: cut at 4: step 803073, ranks take 90112, 73730 per micro-batch, idle 164354, tail 0
// CHECK: micro-batch=1 zb-h1 zero 0
// CHECK-NEXT: best: step 749825, played 749825
// CHECK: cut at 4: step 749825, ranks take 90624, 73730 per micro-batch, idle 49666, tail 0
// CHECK: micro-batch=1 zb-h2 zero 0
// CHECK-NEXT: best: step 724992, played 724992
// CHECK: cut at 4: step 724992, ranks take 90624, 73730 per micro-batch, idle -{{[0-9]+}}, tail 0

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
