// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// Calls of one function in a row are one segment; the ops around them are
// blocks of their own. What the second function reads besides goes through
// all of its calls, and one further, so that all are alike.

// CHECK-LABEL: "model": "encoder_decoder"
// CHECK: "global_batch": 4,
// CHECK: {"block": 0, "count": 1,
// CHECK: {"block": 1, "count": 2,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["e.0"],
// CHECK-NEXT: ["e.1"]
// CHECK-NEXT: ]}
// CHECK: {"block": 2, "count": 1,
// CHECK: {"block": 3, "count": 3,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["d.0","shared"],
// CHECK-NEXT: ["d.1","shared"],
// CHECK-NEXT: ["d.2","shared"]
// CHECK-NEXT: ]}
// CHECK: {"block": 4, "count": 1,

// CHECK: "inputs": [], "outputs": [[[#]]], "parameters": [[[#]]]
// CHECK: "inputs": [0], "outputs": [[[#]]], "parameters": [[[#]]]
// The decoder starts from the batch; the encoder's result goes along.
// CHECK: {"name": "block",
// CHECK-NEXT: "inputs": [0], "outputs": [[[#START:]],0], "parameters"
// CHECK: {"name": "layer",
// CHECK-NEXT: "inputs": [0,1], "outputs": [[[#]],1], "parameters"
// CHECK: "name":"d.*"
// CHECK: "name":"shared"
// CHECK: {"name": "block",
// CHECK-NEXT: "inputs": [0,1], "outputs": [], "parameters": []
module @encoder_decoder {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %e0: tensor<8x8xf32> {smith.name = "e.0", smith.role = "param"},
      %e1: tensor<8x8xf32> {smith.name = "e.1", smith.role = "param"},
      %u: tensor<8x8xf32> {smith.name = "u", smith.role = "param"},
      %d0: tensor<8x8xf32> {smith.name = "d.0", smith.role = "param"},
      %d1: tensor<8x8xf32> {smith.name = "d.1", smith.role = "param"},
      %d2: tensor<8x8xf32> {smith.name = "d.2", smith.role = "param"},
      %shared: tensor<8xf32> {smith.name = "shared", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @encoder(%0, %e0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = call @encoder(%1, %e1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %4 = call @decoder(%3, %2, %d0, %shared) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %5 = call @decoder(%4, %2, %d1, %shared) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %6 = call @decoder(%5, %2, %d2, %shared) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @encoder(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @decoder(%x: tensor<4x8xf32>, %memory: tensor<4x8xf32>, %w: tensor<8x8xf32>, %scale: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %memory, %1 : tensor<4x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x8xf32>
    return %3 : tensor<4x8xf32>
  }
}

// -----

// Without calls the ops are cut where they repeat: each layer is a product, a
// norm and a residual. Dead code, and parameters that only it reads, are left
// out.

// CHECK-LABEL: "model": "unrolled"
// CHECK: {"block": 0, "count": 1,
// CHECK: {"block": 1, "count": 3,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["layers.0"],
// CHECK-NEXT: ["layers.1"],
// CHECK-NEXT: ["layers.2"]
// CHECK-NEXT: ]}
// CHECK: {"block": 2, "count": 1,
// CHECK-NOT: "dead"
module @unrolled {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %w0: tensor<8x8xf32> {smith.name = "layers.0", smith.role = "param"},
      %w1: tensor<8x8xf32> {smith.name = "layers.1", smith.role = "param"},
      %w2: tensor<8x8xf32> {smith.name = "layers.2", smith.role = "param"},
      %dead: tensor<8x8xf32> {smith.name = "dead", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %unused = stablehlo.dot_general %x, %dead, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %x0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>

    %a0 = stablehlo.multiply %x0, %x0 : tensor<4x8xf32>
    %b0 = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %c0 = stablehlo.rsqrt %b0 : tensor<4xf32>
    %d0 = stablehlo.broadcast_in_dim %c0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %e0 = stablehlo.multiply %x0, %d0 : tensor<4x8xf32>
    %f0 = stablehlo.dot_general %e0, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %g0 = stablehlo.tanh %f0 : tensor<4x8xf32>
    %h0 = stablehlo.abs %g0 : tensor<4x8xf32>
    %x1 = stablehlo.add %x0, %h0 : tensor<4x8xf32>

    %a1 = stablehlo.multiply %x1, %x1 : tensor<4x8xf32>
    %b1 = stablehlo.reduce(%a1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %c1 = stablehlo.rsqrt %b1 : tensor<4xf32>
    %d1 = stablehlo.broadcast_in_dim %c1, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %e1 = stablehlo.multiply %x1, %d1 : tensor<4x8xf32>
    %f1 = stablehlo.dot_general %e1, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %g1 = stablehlo.tanh %f1 : tensor<4x8xf32>
    %h1 = stablehlo.abs %g1 : tensor<4x8xf32>
    %x2 = stablehlo.add %x1, %h1 : tensor<4x8xf32>

    %a2 = stablehlo.multiply %x2, %x2 : tensor<4x8xf32>
    %b2 = stablehlo.reduce(%a2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %c2 = stablehlo.rsqrt %b2 : tensor<4xf32>
    %d2 = stablehlo.broadcast_in_dim %c2, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %e2 = stablehlo.multiply %x2, %d2 : tensor<4x8xf32>
    %f2 = stablehlo.dot_general %e2, %w2, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %g2 = stablehlo.tanh %f2 : tensor<4x8xf32>
    %h2 = stablehlo.abs %g2 : tensor<4x8xf32>
    %x3 = stablehlo.add %x2, %h2 : tensor<4x8xf32>

    %loss = stablehlo.reduce(%x3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A scan's parameters, stacked over layers, are one parameter per layer.

// CHECK-LABEL: "model": "stacked"
// CHECK: {"block": 1, "count": 2,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["layers[0]"],
// CHECK-NEXT: ["layers[1]"]
// CHECK-NEXT: ]}
// CHECK: "inputs": [0], "outputs": [[[#]]], "parameters": [[[#]]]
// CHECK: {"name":"layers[*]","shape":[8,8],
module @stacked {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %layers: tensor<2x8x8xf32> {smith.name = "layers", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %s0 = stablehlo.slice %layers [0:1, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
    %w0 = stablehlo.reshape %s0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %1 = call @layer(%0, %w0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %s1 = stablehlo.slice %layers [1:2, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
    %w1 = stablehlo.reshape %s1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %2 = call @layer(%1, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
