// RUN: shardsmith-opt %s -o /dev/null --print-search="%{one-plain} show=chain,blocks fix=mbs=4" | FileCheck %s

// What a unit does not use it hands on all the same if one behind it does. The
// first layers hand on their result, 8 · 4 bytes per sequence, and the second
// ones also what skips them; of a run of equal units the last one is like the
// others, so the sum at the end takes both and does nothing with one.

// CHECK: block 0 (block): 1 units, 1 ops, 64 parameters, hands on 32 bytes
// CHECK: hands on 64 bytes
// CHECK: hands on 64 bytes, follows itself
// CHECK: hands on 0 bytes

// A border of two tensors has a layout for each.

// CHECK: layout 0: takes (whole, whole), hands on (whole, whole)

module @skip {
  func.func @main(
      %w0: tensor<8x8xf32> {smith.name = "down.0", smith.role = "param"},
      %w1: tensor<8x8xf32> {smith.name = "down.1", smith.role = "param"},
      %w2: tensor<8x8xf32> {smith.name = "up.0", smith.role = "param"},
      %w3: tensor<8x8xf32> {smith.name = "up.1", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b = call @down(%a, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %c = call @up(%b, %a, %w2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %d = call @up(%c, %a, %w3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @down(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @up(%x: tensor<4x8xf32>, %skip: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.add %0, %skip : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
