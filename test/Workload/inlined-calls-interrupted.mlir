// RUN: shardsmith-opt --print-workload %s -o /dev/null | FileCheck %s

// A call that was not inlined, between ops of one that was, ends their unit. The
// chain goes through all of them in their order.

// CHECK: {"block": 3, "count": 1,
// CHECK: "kind":"matmul"
// CHECK-NOT: "kind":"matmul"
// CHECK: {"name": "block",
// CHECK: "inputs": [0], "outputs": [1], "parameters": [],
// CHECK: {"name":"tanh",
// CHECK: {"name": "block",
// CHECK: "inputs": [0], "outputs": [2], "parameters": [1],
// CHECK: "kind":"matmul"
// CHECK: {"name": "block",
// CHECK: {"name":"reduce",
module @interrupted {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 0 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @inner(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] {smith.call = {callee = "layer", number = 0 : i64}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @inner(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.tanh %x : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
