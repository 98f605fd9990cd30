// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A norm with two statistics per row is one kernel between products. Its result
// has two readers and is in memory once. The gate behind these products, the sum
// with what went into the norm, and the loss are one kernel again, which reads
// three tensors.

// CHECK-LABEL: "model": "norm_then_two_readers"
// CHECK: {"name":"u.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"scale.out",{{.*}},"saved":true}
// CHECK-NOT: "name":"multiply
// CHECK: {"name":"scale","kind":"fused"
// CHECK-SAME: {"name":"n8","size":8,"kind":"row-statistic"}
// CHECK-SAME: "row_statistics":2
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: "operands":[{"tensor":3,
// CHECK: {"name":"v","kind":"matmul"
// CHECK-SAME: "operands":[{"tensor":3,
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":6,{{.*}}},{"tensor":8,{{.*}}},{"tensor":2,
// It ends with a sum over everything, and has no statistics of rows.
// CHECK-NOT: "row_statistics"
// CHECK: ]}
module @norm_then_two_readers {
  func.func @main(
      %scale: tensor<8xf32> {smith.name = "scale", smith.role = "param"},
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<8x8xf32> {smith.name = "v", smith.role = "param"},
      %u: tensor<8x8xf32> {smith.name = "u", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %sum = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %centred = stablehlo.subtract %h, %sums : tensor<4x8xf32>
    %squares = stablehlo.multiply %centred, %centred : tensor<4x8xf32>
    %power = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %root = stablehlo.rsqrt %power : tensor<4xf32>
    %roots = stablehlo.broadcast_in_dim %root, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %unit = stablehlo.multiply %centred, %roots : tensor<4x8xf32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %normed = stablehlo.multiply %unit, %scales : tensor<4x8xf32>
    %a = stablehlo.dot_general %normed, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %b = stablehlo.dot_general %normed, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %gate = stablehlo.logistic %a : tensor<4x8xf32>
    %gated = stablehlo.multiply %gate, %b : tensor<4x8xf32>
    %y = stablehlo.add %h, %gated : tensor<4x8xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Ops read through reshapes and transposes: 12 columns are 3 × 4 in both weights,
// in the order in which each has them. The kernel writes its result as its op is
// written, the last product sums over both dimensions.

// CHECK-LABEL: "model": "through_views"
// CHECK: {"name":"w","shape":[8,3,4]
// CHECK-NEXT: {"name":"w.out","shape":[1,3,4]
// CHECK-NEXT: {"name":"tanh.out","shape":[1,4,3]
// CHECK-NEXT: {"name":"v","shape":[3,4,8]
// CHECK-NOT: "name":"reshape
// CHECK-NOT: "name":"transpose
// CHECK: {"name":"tanh","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":2,"dims":{{.}}["b"],["n3"],["n4"]]}],"results":[{"tensor":3,"dims":{{.}}["b"],["n4"],["n3"]]}]
// CHECK: {"name":"v","kind":"matmul"
// CHECK-SAME: {"name":"n4","size":4,"kind":"reduction"},{"name":"n3","size":3,"kind":"reduction"}
// CHECK-SAME: {"tensor":4,"dims":{{.}}["n3"],["n4"],["n8"]]}
module @through_views {
  func.func @main(
      %w: tensor<8x12xf32> {smith.name = "w", smith.role = "param"},
      %v: tensor<12x8xf32> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x12xf32>) -> tensor<4x3x4xf32>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<4x3x4xf32>) -> tensor<4x4x3xf32>
    %3 = stablehlo.tanh %2 : tensor<4x4x3xf32>
    %4 = stablehlo.transpose %3, dims = [0, 2, 1] : (tensor<4x4x3xf32>) -> tensor<4x3x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x3x4xf32>) -> tensor<4x12xf32>
    %6 = stablehlo.dot_general %5, %v, contracting_dims = [1] x [0] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    %loss = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A window over positions is an op by itself, whose positions are whole; so are
// those of what turns them round and adds up. Channels may be split throughout.

// CHECK-LABEL: "model": "running_sum"
// CHECK: {"name":"reduce_window","kind":"fused"
// CHECK-SAME: {"name":"n16","size":16,"kind":"whole"},{"name":"n8","size":8},
// CHECK-SAME: "flops":2048
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"name":"n16","size":16,"kind":"whole"},{"name":"n8","size":8,"kind":"reduction"}
module @running_sum {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x16x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x8xf32>) -> tensor<4x16x8xf32>
    %1 = "stablehlo.reduce_window"(%0, %zero) <{padding = dense<[[0, 0], [15, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 16, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16x8xf32>
    %2 = stablehlo.reverse %1, dims = [1] : tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
