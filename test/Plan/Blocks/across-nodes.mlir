// RUN: shardsmith-opt %s -o /dev/null --print-search="%{two-nodes} show=blocks fix=mbs=8,tp=4" | FileCheck %s

// Four ranks in two nodes. A gather of 2048 bytes moves three quarters around a
// ring; the road between the nodes has half the wire's bandwidth for each of two
// members, and so the same as the wire: 1536.

// CHECK: block 0 (block) with micro-batch=8 tensor=4, tensor 4 over wire 2, road 2: 2 layouts
// CHECK: layout 0: takes (), hands on (whole)
// CHECK: tensor exchanges: forward 1536, backward 0
// CHECK: layout 1: takes (), hands on (split 1)
// CHECK-NOT: exchanges
// CHECK: memory: saves 0, 0 or 0, transient 1024, sends 512

// An all-reduce takes twice that in a ring; in a tree every level moves each byte
// up and down once, 2048 over either link, at the same time.

// CHECK: block 1
// CHECK: layout 0: takes (whole), hands on (whole)
// CHECK: tensor exchanges: forward 1536, backward 2048

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
