// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// Softmax written with a division, masked by a select over iotas; grouped
// queries; the scale is taken out of the queries.

// CHECK-LABEL: "model": "grouped_causal"
// CHECK: "sequence_length": 16
// CHECK-NOT: "kind":"fused"
// CHECK: {"name":"attention","kind":"attention"
// CHECK-SAME: {"name":"kv","size":2},{"name":"g","size":3}
// CHECK-SAME: {"name":"t","size":16,"kind":"whole","role":"sequence"}
// CHECK-SAME: {"name":"d","size":8,"kind":"reduction"}
// CHECK-SAME: "operands":[{"tensor":[[#Q:]],"dims":{{.}}["b"],["s"],["kv"],["g"],["d"]]},{"tensor":[[#K:]],"dims":{{.}}["b"],["t"],["kv"],["d"]]}
// Both products of one sequence: 2 · (2 · 3 · 16 · 16 · 8) each.
// CHECK-SAME: "flops":49152
// CHECK-SAME: "attention":{"key_value_heads":"kv","group":"g","queries":"s","keys":"t","head_size":"d","value_size":"v","causal":true}
module @grouped_causal {
  func.func @main(
      %wq: tensor<48x6x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<48x2x8xf32> {smith.name = "wk", smith.role = "param"},
      %wv: tensor<48x2x8xf32> {smith.name = "wv", smith.role = "param"},
      %x: tensor<4x16x48xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %scale = stablehlo.constant dense<0.35355339> : tensor<4x16x6x8xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<4x2x3x16x16xf32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x6x8xf32>) -> tensor<4x16x6x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x2x8xf32>) -> tensor<4x16x2x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x2x8xf32>) -> tensor<4x16x2x8xf32>
    %scaled = stablehlo.multiply %q, %scale : tensor<4x16x6x8xf32>
    %groups = stablehlo.reshape %scaled : (tensor<4x16x6x8xf32>) -> tensor<4x16x2x3x8xf32>
    %dots = stablehlo.dot_general %groups, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<4x16x2x3x8xf32>, tensor<4x16x2x8xf32>) -> tensor<4x2x16x3x16xf32>
    %scores = stablehlo.transpose %dots, dims = [0, 1, 3, 2, 4] : (tensor<4x2x16x3x16xf32>) -> tensor<4x2x3x16x16xf32>
    %rows = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %columns = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %seen = stablehlo.compare GE, %rows, %columns, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %mask = stablehlo.broadcast_in_dim %seen, dims = [3, 4] : (tensor<16x16xi1>) -> tensor<4x2x3x16x16xi1>
    %masked = stablehlo.select %mask, %scores, %low : tensor<4x2x3x16x16xi1>, tensor<4x2x3x16x16xf32>
    %most = stablehlo.reduce(%masked init: %least) applies stablehlo.maximum across dimensions = [4] : (tensor<4x2x3x16x16xf32>, tensor<f32>) -> tensor<4x2x3x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1, 2, 3] : (tensor<4x2x3x16xf32>) -> tensor<4x2x3x16x16xf32>
    %shifted = stablehlo.subtract %masked, %mosts : tensor<4x2x3x16x16xf32>
    %e = stablehlo.exponential %shifted : tensor<4x2x3x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<4x2x3x16x16xf32>, tensor<f32>) -> tensor<4x2x3x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2, 3] : (tensor<4x2x3x16xf32>) -> tensor<4x2x3x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<4x2x3x16x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1] : (tensor<4x2x3x16x16xf32>, tensor<4x16x2x8xf32>) -> tensor<4x2x3x16x8xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3, 4] : (tensor<4x2x3x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Softmax as exp(x - log(sum(exp(x)))), one key head for all queries, a mask
// of additions that hides the past: attention, but not causal.

// CHECK-LABEL: "model": "log_softmax"
// CHECK: {"name":"attention","kind":"attention"
// CHECK-SAME: {"name":"g","size":6}
// CHECK-SAME: {"name":"kv","size":1,"kind":"whole"}
// CHECK-SAME: "group":"g"
// CHECK-SAME: "causal":false}
module @log_softmax {
  func.func @main(
      %wq: tensor<48x6x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<48x8xf32> {smith.name = "wk", smith.role = "param"},
      %wv: tensor<48x8xf32> {smith.name = "wv", smith.role = "param"},
      %x: tensor<4x16x48xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0.0> : tensor<16x16xf32>
    %low = stablehlo.constant dense<-1.0e9> : tensor<16x16xf32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x6x8xf32>) -> tensor<4x16x6x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x8xf32>) -> tensor<4x16x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<4x16x48xf32>, tensor<48x8xf32>) -> tensor<4x16x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<4x16x6x8xf32>, tensor<4x16x8xf32>) -> tensor<4x16x6x16xf32>
    %rows = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %columns = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %seen = stablehlo.compare LE, %rows, %columns, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %addend = stablehlo.select %seen, %none, %low : tensor<16x16xi1>, tensor<16x16xf32>
    %mask = stablehlo.broadcast_in_dim %addend, dims = [1, 3] : (tensor<16x16xf32>) -> tensor<4x16x6x16xf32>
    %masked = stablehlo.add %scores, %mask : tensor<4x16x6x16xf32>
    %e = stablehlo.exponential %masked : tensor<4x16x6x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<4x16x6x16xf32>, tensor<f32>) -> tensor<4x16x6xf32>
    %log = stablehlo.log %sum : tensor<4x16x6xf32>
    %logs = stablehlo.broadcast_in_dim %log, dims = [0, 1, 2] : (tensor<4x16x6xf32>) -> tensor<4x16x6x16xf32>
    %difference = stablehlo.subtract %masked, %logs : tensor<4x16x6x16xf32>
    %p = stablehlo.exponential %difference : tensor<4x16x6x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<4x16x6x16xf32>, tensor<4x16x8xf32>) -> tensor<4x16x6x8xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x16x6x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Two products with something else in between are two products.

// CHECK-LABEL: "model": "no_softmax"
// CHECK-NOT: "kind":"attention"
// CHECK-COUNT-2: "kind":"matmul"
module @no_softmax {
  func.func @main(
      %w: tensor<8x16xf32> {smith.name = "w", smith.role = "param"},
      %u: tensor<16x8xf32> {smith.name = "u", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %e = stablehlo.exponential %h : tensor<4x16xf32>
    %y = stablehlo.dot_general %e, %u, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
