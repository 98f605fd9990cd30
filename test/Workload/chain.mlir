// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A connection that skips a unit goes through it. What all calls of a run read
// goes one unit further, so that the last of them is like the others: the last
// block takes it and does nothing with it.

// CHECK-LABEL: "model": "skip"
// CHECK: {"block": 2, "count": 2,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["up.0"],
// CHECK-NEXT: ["up.1"]
// CHECK-NEXT: ]}
// CHECK: "inputs": [], "outputs": [2], "parameters": [1]
// CHECK: "inputs": [0], "outputs": [2,0], "parameters": [1]
// CHECK: {"name": "layer",
// CHECK-NEXT: "inputs": [0,1], "outputs": [4,1], "parameters": [2]
// CHECK: {"name":"add","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":3,{{.*}}},{"tensor":1,
// CHECK: "inputs": [0,1], "outputs": [], "parameters": []
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":0,
// CHECK-NOT: "tensor":1
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

// -----

// One parameter of two blocks, and one of all layers, keep their names, by which
// they are known to be one. Other names of a run have a star where they differ,
// the whole number of it.

// CHECK-LABEL: "model": "tied"
// CHECK: {"block": 0, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["table"]
// CHECK: {"block": 1, "count": 2,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["shared","layers.9.a"],
// CHECK-NEXT: ["shared","layers.10.a"]
// CHECK-NEXT: ]}
// CHECK: {"block": 2, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["table"]
// CHECK: {"name":"table","kind":"lookup"
// CHECK: {"name": "layer",
// CHECK: {"name":"layers.*.a.out",
// CHECK-NEXT: {"name":"layers.*.a","shape":[8],"type":"f32","role":"parameter"}
// Rows of the table are columns of the last product.
// CHECK: {"name":"table","kind":"matmul"
// CHECK-SAME: {"tensor":1,"dims":{{.}}["n32"],["n8"]]}
module @tied {
  func.func @main(
      %table: tensor<32x8xf32> {smith.name = "table", smith.role = "param"},
      %shared: tensor<8x8xf32> {smith.name = "shared", smith.role = "param"},
      %a: tensor<8xf32> {smith.name = "layers.9.a", smith.role = "param"},
      %b: tensor<8xf32> {smith.name = "layers.10.a", smith.role = "param"},
      %tokens: tensor<4x16xi32> {smith.name = "tokens", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.reshape %tokens : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %x = "stablehlo.gather"(%table, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %1 = call @layer(%x, %shared, %a) : (tensor<4x16x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x16x8xf32>
    %2 = call @layer(%1, %shared, %b) : (tensor<4x16x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x16x8xf32>
    %logits = stablehlo.dot_general %2, %table, contracting_dims = [2] x [1] : (tensor<4x16x8xf32>, tensor<32x8xf32>) -> tensor<4x16x32xf32>
    %loss = stablehlo.reduce(%logits init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @layer(%x: tensor<4x16x8xf32>, %w: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<4x16x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x8xf32>) -> tensor<4x16x8xf32>
    %1 = stablehlo.broadcast_in_dim %s, dims = [2] : (tensor<8xf32>) -> tensor<4x16x8xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x16x8xf32>
    %3 = stablehlo.tanh %2 : tensor<4x16x8xf32>
    return %3 : tensor<4x16x8xf32>
  }
}

// -----

// Two values go from cell to cell, each at its place: the newest first. Without
// the parameters of the model a block is a block all the same.

// CHECK-LABEL: "model": "two_results"
// CHECK: {"block": 1, "count": 2,
// CHECK: {"block": 2, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: []
// CHECK: "inputs": [], "outputs": [2,3]
// CHECK: {"name": "layer",
// CHECK-NEXT: "inputs": [0,1], "outputs": [5,4], "parameters": [2]
// CHECK: {"name":"tanh.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"tanh.out_2",
// One kernel makes both.
// CHECK: {"name":"tanh","kind":"fused"
// CHECK-SAME: "results":[{"tensor":4,{{.*}}},{"tensor":5,
// CHECK: "inputs": [0,1], "outputs": []
module @two_results {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %a: tensor<8x8xf32> {smith.name = "cell.0", smith.role = "param"},
      %b: tensor<8x8xf32> {smith.name = "cell.1", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %c0 = stablehlo.tanh %h0 : tensor<4x8xf32>
    %1:2 = call @cell(%h0, %c0, %a) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    %2:2 = call @cell(%1#0, %1#1, %b) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    %all = stablehlo.add %2#0, %2#1 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
  func.func private @cell(%h: tensor<4x8xf32>, %c: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.multiply %0, %c : tensor<4x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8xf32>
    return %2, %1 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

// Two ops that repeat are too few to be a layer: the model is one block.

// CHECK-LABEL: "model": "short_repeats"
// CHECK: "segments": [
// CHECK-NEXT: {"block": 0, "count": 1,
// CHECK-NEXT: "parameter_names": [
// CHECK-NEXT: ["w.0","w.1","w.2","w.3"]
// CHECK-NEXT: ]}
// CHECK: "inputs": [], "outputs": [], "parameters": [1,4,7,10]
// CHECK-COUNT-4: "kind":"matmul"
module @short_repeats {
  func.func @main(
      %w0: tensor<8x8xf32> {smith.name = "w.0", smith.role = "param"},
      %w1: tensor<8x8xf32> {smith.name = "w.1", smith.role = "param"},
      %w2: tensor<8x8xf32> {smith.name = "w.2", smith.role = "param"},
      %w3: tensor<8x8xf32> {smith.name = "w.3", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b0 = stablehlo.tanh %a0 : tensor<4x8xf32>
    %a1 = stablehlo.dot_general %b0, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b1 = stablehlo.tanh %a1 : tensor<4x8xf32>
    %a2 = stablehlo.dot_general %b1, %w2, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b2 = stablehlo.tanh %a2 : tensor<4x8xf32>
    %a3 = stablehlo.dot_general %b2, %w3, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b3 = stablehlo.tanh %a3 : tensor<4x8xf32>
    %loss = stablehlo.reduce(%b3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
