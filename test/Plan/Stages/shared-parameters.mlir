// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-plain} show=stages,ranking fix=mbs=4,pp=2,tp=1,dp=1,schedule=1f1b plans=1" | FileCheck %s --check-prefix=TWO
// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=ranking fix=mbs=4 plans=1" | FileCheck %s --check-prefix=ONE

// A cut between the two uses of a parameter leaves each rank a copy of it: two
// tensors of 4096 parameters on rank 0, which would be as many if they were two.
// Its gradients, 16384 bytes, go around between the two in halves, each in 8192.

// TWO: best: step 590853, played 590853
// TWO-NEXT: stage 0 on rank 0: units [0, 2)
// TWO-NEXT: stage 1 on rank 1: units [2, 4)
// TWO: plan 1: 590853
// TWO: parameters 32768, gradients 32768, states 65536, activations 2048 for 2 micro-batches, workspace 4096, messages 2048

// One rank has three tensors for four uses. It saves the inputs of three
// products, 4 · 64 · 4 bytes each; the first one reads the batch.

// ONE: parameters 49152, gradients 49152, states 98304, activations 3072 for 1 micro-batches, workspace 4096, messages 0

module @tied {
  func.func @main(
      %table: tensor<64x64xf32> {smith.role = "param", smith.name = "table"},
      %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
      %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
      %x: tensor<8x64xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = stablehlo.dot_general %x, %table, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %0 = call @layer(%first, %w0) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = call @layer(%0, %w1) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %logits = stablehlo.dot_general %1, %table, contracting_dims = [1] x [1]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %loss = stablehlo.reduce(%logits init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
