// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=blocks fix=mbs=8,tp=2" | FileCheck %s --check-prefix=TWO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{four-plain} show=blocks fix=mbs=8,tp=4" | FileCheck %s --check-prefix=FOUR

// A softmax over split columns exchanges three numbers per row, greatest, sum and
// the sum that is the loss: an all-reduce of 8 · 3 · 4 = 96 bytes, each way.

// TWO: splits w by n64, reduce by n64
// TWO-NEXT: time: forward 32769, backward 1 + 32768, recompute 0 or 32865
// TWO-NEXT: tensor exchanges: forward 96, backward 96

// On four ranks an all-reduce moves 2 · 3 / 4 of the bytes, 144.

// FOUR: time: forward 16385, backward 1 + 16384, recompute 0 or 16529
// FOUR-NEXT: tensor exchanges: forward 144, backward 144

// What leads to the rows is saved in parts: 8 · 16 · 4 bytes.

// FOUR-NEXT: memory: saves 512, 512 or 0,

module @rows {
  func.func @main(
      %w: tensor<64x64xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %most = stablehlo.reduce(%y init: %least) applies stablehlo.maximum
        across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
    %d = stablehlo.subtract %y, %mosts : tensor<8x64xf32>
    %e = stablehlo.exponential %d : tensor<8x64xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add
        across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
    %p = stablehlo.divide %e, %sums : tensor<8x64xf32>
    %sq = stablehlo.multiply %p, %p : tensor<8x64xf32>
    %loss = stablehlo.reduce(%sq init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
