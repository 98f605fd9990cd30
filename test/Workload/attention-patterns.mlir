// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A bias of scores that is a parameter is a further operand, by heads, queries
// and keys. Values may have another size than queries. The kernel takes its name
// from its only parameter. Its probabilities are listed as saved inside of
// attention: stacks without fused attention keep them.

// CHECK-LABEL: "model": "biased"
// CHECK: "sequence_length": 16
// CHECK: {"name":"bias","shape":[4,16,16],"type":"f32","role":"parameter"}
// CHECK-NEXT: {"name":"bias.out","shape":[1,4,16,6],{{.*}},"saved":true}
// CHECK-NEXT: {"name":"bias.out_2","shape":[1,4,16,16],{{.*}},"saved":true,"inside_attention":true}
// CHECK: {"name":"bias","kind":"attention"
// CHECK-SAME: {"name":"kv","size":4},{"name":"s","size":16,"role":"sequence"},{"name":"v","size":6},{"name":"t","size":16,"kind":"whole","role":"sequence"},{"name":"d","size":8,"kind":"reduction"}
// CHECK-SAME: {"tensor":7,"dims":{{.}}["kv"],["s"],["t"]]}
// Scores and their mixture: 2 · 4 heads · 16 · 16 · (8 + 6).
// CHECK-SAME: "flops":28672
// No query shares its key head with another, so there is no group.
// CHECK-SAME: "attention":{"key_value_heads":"kv","queries":"s","keys":"t","head_size":"d","value_size":"v","causal":false}
module @biased {
  func.func @main(
      %wq: tensor<32x4x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<32x4x8xf32> {smith.name = "wk", smith.role = "param"},
      %wv: tensor<32x4x6xf32> {smith.name = "wv", smith.role = "param"},
      %bias: tensor<4x16x16xf32> {smith.name = "bias", smith.role = "param"},
      %x: tensor<2x16x32xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x4x8xf32>) -> tensor<2x16x4x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x4x8xf32>) -> tensor<2x16x4x8xf32>
    %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x4x6xf32>) -> tensor<2x16x4x6xf32>
    %dots = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>) -> tensor<2x4x16x16xf32>
    %biases = stablehlo.broadcast_in_dim %bias, dims = [1, 2, 3] : (tensor<4x16x16xf32>) -> tensor<2x4x16x16xf32>
    %scores = stablehlo.add %dots, %biases : tensor<2x4x16x16xf32>
    %most = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x16xf32>
    %shifted = stablehlo.subtract %scores, %mosts : tensor<2x4x16x16xf32>
    %e = stablehlo.exponential %shifted : tensor<2x4x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<2x4x16x16xf32>
    %mixed = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4x16x16xf32>, tensor<2x16x4x6xf32>) -> tensor<2x4x16x6xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4x16x6xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Probabilities that something else reads as well have to be in memory: two
// products and a softmax between them. Nothing says then what is a position. The
// softmax and the entropy are one kernel with two results.

// CHECK-LABEL: "model": "watched"
// CHECK: "sequence_length": 1,
// CHECK-NOT: "kind":"attention"
// CHECK: {"name":"dot_general","kind":"matmul"
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"name":"n16_2","size":16,"kind":"row-statistic"}
// CHECK-SAME: "results":[{"tensor":6,"dims":{{.}}["b"],["n16"],["n16_2"]]},{"tensor":7,"dims":[]}]
// A sum per row and the sum over all.
// CHECK-SAME: "row_statistics":2
// CHECK: {"name":"dot_general","kind":"matmul"
// CHECK-SAME: {"name":"n16_2","size":16,"kind":"reduction"}
// CHECK: {"name":"add","kind":"fused"
// CHECK-SAME: "linear_operand_sets":{{.}}[0,1]]
module @watched {
  func.func @main(
      %wq: tensor<32x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<32x8xf32> {smith.name = "wk", smith.role = "param"},
      %x: tensor<2x16x32xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8xf32>) -> tensor<2x16x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8xf32>) -> tensor<2x16x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> tensor<2x16x16xf32>
    %e = stablehlo.exponential %scores : tensor<2x16x16xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x16xf32>
    %p = stablehlo.divide %e, %sums : tensor<2x16x16xf32>
    %mixed = stablehlo.dot_general %p, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x16x16xf32>, tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
    %entropy = stablehlo.multiply %p, %scores : tensor<2x16x16xf32>
    %first = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x8xf32>, tensor<f32>) -> tensor<f32>
    %second = stablehlo.reduce(%entropy init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.add %first, %second : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Gates in place of a softmax: no sum of exponentials, no attention. What the
// gates are read of is saved, and so are they.

// CHECK-LABEL: "model": "gates"
// CHECK: {"name":"dot_general.out","shape":[1,16,16],{{.*}},"saved":true}
// CHECK-NEXT: {"name":"logistic.out","shape":[1,16,16],{{.*}},"saved":true}
// CHECK-NEXT: {"name":"dot_general.out_2","shape":[1,16,8],"type":"f32","role":"activation"}
// CHECK-NOT: "inside_attention"
// CHECK-NOT: "kind":"attention"
// CHECK: {"name":"logistic","kind":"fused"
// CHECK-SAME: "flops":6144
module @gates {
  func.func @main(
      %wq: tensor<32x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<32x8xf32> {smith.name = "wk", smith.role = "param"},
      %x: tensor<2x16x32xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8xf32>) -> tensor<2x16x8xf32>
    %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8xf32>) -> tensor<2x16x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> tensor<2x16x16xf32>
    %open = stablehlo.logistic %scores : tensor<2x16x16xf32>
    %mixed = stablehlo.dot_general %open, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x16x16xf32>, tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Keys of another sequence than the queries: both are positions, and the longer
// one counts. Keys and values may be one tensor, which is read in two ways.

// CHECK-LABEL: "model": "cross"
// CHECK: "sequence_length": 24
// CHECK: {"name":"wq","kind":"matmul"
// CHECK-SAME: {"name":"s","size":16,"role":"sequence"}
// CHECK: {"name":"wk","kind":"matmul"
// CHECK-SAME: {"name":"s","size":24,"role":"sequence"}
// CHECK: {"name":"attention","kind":"attention"
// CHECK-SAME: {"name":"s","size":16,"role":"sequence"},{"name":"v","size":8},{"name":"t","size":24,"kind":"whole","role":"sequence"}
// CHECK-SAME: "operands":[{"tensor":2,"dims":{{.}}["b"],["s"],["d"]]},{"tensor":5,"dims":{{.}}["b"],["t"],["d"]]},{"tensor":5,"dims":{{.}}["b"],["t"],["v"]]}]
// CHECK-SAME: "causal":false}
module @cross {
  func.func @main(
      %wq: tensor<32x8xf32> {smith.name = "wq", smith.role = "param"},
      %wk: tensor<32x8xf32> {smith.name = "wk", smith.role = "param"},
      %memory: tensor<2x24x32xf32> {smith.name = "memory", smith.role = "batch"},
      %x: tensor<2x16x32xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8xf32>) -> tensor<2x16x8xf32>
    %k = stablehlo.dot_general %memory, %wk, contracting_dims = [2] x [0] : (tensor<2x24x32xf32>, tensor<32x8xf32>) -> tensor<2x24x8xf32>
    %scores = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x16x8xf32>, tensor<2x24x8xf32>) -> tensor<2x16x24xf32>
    %e = stablehlo.exponential %scores : tensor<2x16x24xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x16x24xf32>, tensor<f32>) -> tensor<2x16xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x24xf32>
    %p = stablehlo.divide %e, %sums : tensor<2x16x24xf32>
    %mixed = stablehlo.dot_general %p, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x16x24xf32>, tensor<2x24x8xf32>) -> tensor<2x16x8xf32>
    %loss = stablehlo.reduce(%mixed init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
