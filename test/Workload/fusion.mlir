// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// Look-up, a norm, a product whose result is cut in two (a gated unit), and a
// loss that picks labels by a one-hot mask.

// CHECK-LABEL: "model": "gated"

// The backward pass reads what norms, gates and softmax are taken of and what
// is multiplied, but not the terms of a sum.
// CHECK: {"name":"table.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"scale.out",{{.*}},"saved":true}
// CHECK: {"name":"up","shape":[8,2,12],
// CHECK-NEXT: {"name":"up.out","shape":[1,16,2,12],{{.*}},"saved":true}
// CHECK-NEXT: {"name":"multiply.out",{{.*}},"saved":true}
// CHECK: {"name":"down.out","shape":[1,16,8],"type":"f32","role":"activation"}
// CHECK-NEXT: {"name":"add.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"table.out_2",{{.*}},"saved":true}

// The table's rows are summed over: a shard without the row gives zeros.
// CHECK: "kind":"lookup"
// CHECK-SAME: {"name":"n32","size":32,"kind":"reduction"}

// The norm: one statistic per row, and the weight of the norm.
// CHECK: {"name":"scale","kind":"fused"
// CHECK-SAME: {"name":"n8","size":8,"kind":"row-statistic"}
// CHECK-SAME: "row_statistics":1

// Both halves in one product: which half is a factor of its own.
// CHECK: {"name":"up","kind":"matmul"
// CHECK-SAME: {"name":"n2","size":2},{"name":"n12","size":12}
// CHECK-SAME: "flops":6144

// The gate reads both halves and splits their inside only.
// CHECK: {"name":"multiply","kind":"fused"
// CHECK-SAME: {"name":"n12","size":12},{"name":"n2","size":2,"kind":"whole"}

// CHECK: {"name":"down","kind":"matmul"

// The residual sum alone would let partial sums pass.
// CHECK: {"name":"add","kind":"fused"
// CHECK-SAME: "linear_operand_sets":{{.}}[0,1]]

// The mask is made on the way: the kernel reads labels, not the mask.
// CHECK: {"name":"divide","kind":"fused"
// CHECK-SAME: {"name":"b","size":1,"kind":"reduction","role":"batch"},{"name":"s","size":16,"kind":"reduction","role":"sequence"},{"name":"n32","size":32,"kind":"row-statistic"}
// CHECK-SAME: "dims":{{.}}["b"],["s"],["n32"]]},{"tensor":[[#]],"dims":{{.}}["b"],["s"]]}]
// CHECK-SAME: "row_statistics":3
module @gated {
  func.func @main(
      %table: tensor<32x8xf32> {smith.name = "table", smith.role = "param"},
      %scale: tensor<8xf32> {smith.name = "scale", smith.role = "param"},
      %up: tensor<8x24xf32> {smith.name = "up", smith.role = "param"},
      %down: tensor<12x8xf32> {smith.name = "down", smith.role = "param"},
      %tokens: tensor<4x16xi32> {smith.name = "tokens", smith.role = "batch"},
      %labels: tensor<4x16xi32> {smith.name = "labels", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %count = stablehlo.constant dense<64.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<4x16x32xf32>
    %indices = stablehlo.reshape %tokens : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %x = "stablehlo.gather"(%table, %indices) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<4x16x1xi32>) -> tensor<4x16x8xf32>
    %squares = stablehlo.multiply %x, %x : tensor<4x16x8xf32>
    %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %root = stablehlo.rsqrt %sum : tensor<4x16xf32>
    %roots = stablehlo.broadcast_in_dim %root, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8xf32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [2] : (tensor<8xf32>) -> tensor<4x16x8xf32>
    %unit = stablehlo.multiply %x, %roots : tensor<4x16x8xf32>
    %normed = stablehlo.multiply %unit, %scales : tensor<4x16x8xf32>
    %both = stablehlo.dot_general %normed, %up, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x24xf32>) -> tensor<4x16x24xf32>
    %gate = stablehlo.slice %both [0:4, 0:16, 0:12] : (tensor<4x16x24xf32>) -> tensor<4x16x12xf32>
    %value = stablehlo.slice %both [0:4, 0:16, 12:24] : (tensor<4x16x24xf32>) -> tensor<4x16x12xf32>
    %open = stablehlo.logistic %gate : tensor<4x16x12xf32>
    %gated = stablehlo.multiply %open, %value : tensor<4x16x12xf32>
    %result = stablehlo.dot_general %gated, %down, contracting_dims = [2] x [0] : (tensor<4x16x12xf32>, tensor<12x8xf32>) -> tensor<4x16x8xf32>
    %y = stablehlo.add %x, %result : tensor<4x16x8xf32>
    %logits = stablehlo.dot_general %y, %table, contracting_dims = [2] x [1] : (tensor<4x16x8xf32>, tensor<32x8xf32>) -> tensor<4x16x32xf32>
    %most = stablehlo.reduce(%logits init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x32xf32>
    %shifted = stablehlo.subtract %logits, %mosts : tensor<4x16x32xf32>
    %e = stablehlo.exponential %shifted : tensor<4x16x32xf32>
    %total = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %log = stablehlo.log %total : tensor<4x16xf32>
    %places = stablehlo.iota dim = 2 : tensor<4x16x32xi32>
    %wanted = stablehlo.broadcast_in_dim %labels, dims = [0, 1] : (tensor<4x16xi32>) -> tensor<4x16x32xi32>
    %is = stablehlo.compare EQ, %wanted, %places, SIGNED : (tensor<4x16x32xi32>, tensor<4x16x32xi32>) -> tensor<4x16x32xi1>
    %only = stablehlo.select %is, %shifted, %zeros : tensor<4x16x32xi1>, tensor<4x16x32xf32>
    %picked = stablehlo.reduce(%only init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x16x32xf32>, tensor<f32>) -> tensor<4x16xf32>
    %losses = stablehlo.subtract %log, %picked : tensor<4x16xf32>
    %all = stablehlo.reduce(%losses init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
    %loss = stablehlo.divide %all, %count : tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A product that is narrowed at once is written narrow; a patch convolution is
// a product whose spatial dimensions are whole.

// CHECK-LABEL: "model": "narrow"
// CHECK: "compute_type": "f32"
// CHECK: {"name":"kernel.out","shape":[1,6,2,2],"type":"bf16"
// CHECK: {"name":"kernel","kind":"matmul"
// CHECK-SAME: "factors":[{"name":"b","size":1,"role":"batch"},{"name":"n6","size":6},{"name":"n2","size":2,"kind":"whole"},{"name":"n2_2","size":2,"kind":"whole"},{"name":"n3","size":3,"kind":"reduction"},{"name":"n16","size":16,"kind":"whole"}]
// CHECK-SAME: "flops":2304
module @narrow {
  func.func @main(
      %kernel: tensor<6x3x4x4xf32> {smith.name = "kernel", smith.role = "param"},
      %x: tensor<4x3x8x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = "stablehlo.convolution"(%x, %kernel) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, window_strides = array<i64: 4, 4>}> : (tensor<4x3x8x8xf32>, tensor<6x3x4x4xf32>) -> tensor<4x6x2x2xf32>
    %narrow = stablehlo.convert %y : (tensor<4x6x2x2xf32>) -> tensor<4x6x2x2xbf16>
    %wide = stablehlo.convert %narrow : (tensor<4x6x2x2xbf16>) -> tensor<4x6x2x2xf32>
    %squares = stablehlo.multiply %wide, %wide : tensor<4x6x2x2xf32>
    %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x6x2x2xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
