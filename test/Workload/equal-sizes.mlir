// RUN: shardsmith-opt %s --print-workload -o /dev/null | FileCheck %s

// One iota numbers the samples, and the positions of queries and keys, of which
// there are as many. Samples are no positions all the same.

// CHECK: {"name":"w","kind":"matmul","factors":[{"name":"b","size":1,"role":"batch"},{"name":"n8","size":8},{{.*}}"flops":256
// CHECK: {"name":"dot_general","kind":"matmul","factors":[{"name":"b","size":1,"role":"batch"},{"name":"n8","size":8},{"name":"n8_2","size":8},{"name":"n4","size":4,"kind":"reduction"}]
// CHECK-SAME: "flops":512
func.func @main(
    %w: tensor<4x4xf32> {smith.name = "w", smith.role = "param"},
    %x: tensor<8x8x4xf32> {smith.name = "batch.x", smith.role = "batch"})
    -> (tensor<f32> {smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
    : (tensor<8x8x4xf32>, tensor<4x4xf32>) -> tensor<8x8x4xf32>
  %scores = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x8xf32>
  %numbers = stablehlo.iota dim = 0 : tensor<8xi32>
  %queries = stablehlo.broadcast_in_dim %numbers, dims = [1] : (tensor<8xi32>) -> tensor<8x8x8xi32>
  %keys = stablehlo.broadcast_in_dim %numbers, dims = [2] : (tensor<8xi32>) -> tensor<8x8x8xi32>
  %seen = stablehlo.compare GE, %queries, %keys : (tensor<8x8x8xi32>, tensor<8x8x8xi32>) -> tensor<8x8x8xi1>
  %none = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x8x8xf32>
  %masked = stablehlo.select %seen, %scores, %none : tensor<8x8x8xi1>, tensor<8x8x8xf32>
  %number = stablehlo.convert %numbers : (tensor<8xi32>) -> tensor<8xf32>
  %samples = stablehlo.broadcast_in_dim %number, dims = [0] : (tensor<8xf32>) -> tensor<8x8x8xf32>
  %weighted = stablehlo.multiply %masked, %samples : tensor<8x8x8xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1, 2]
    : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
