// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A reshape that cuts a dimension into heads cuts it everywhere: in the result
// of the product that makes it, and in the weight. So splitting heads is
// splitting a dimension. Positions are those of the integer batch argument, and
// keep that role through the look-up.

// CHECK-LABEL: "model": "heads"
// CHECK: "global_batch": 4
// CHECK-NEXT: "sequence_length": 16
// CHECK: {"name":"tokens","shape":[1,16],"type":"i32","role":"batch"}
// CHECK: {"name":"w","shape":[24,4,6],"type":"f32","role":"parameter"}
// CHECK: {"name":"w.out","shape":[1,16,4,6]
// CHECK: {"name":"table","kind":"lookup"
// CHECK-SAME: {"name":"s","size":16,"role":"sequence"}
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: {"name":"s","size":16,"role":"sequence"},{"name":"n4","size":4},{"name":"n6","size":6},{"name":"n24","size":24,"kind":"reduction"}
// CHECK-SAME: {"tensor":[[#]],"dims":{{.}}["n24"],["n4"],["n6"]]}
// The scale has the channels of a head alone.
// CHECK: {"name":"s","kind":"fused"
// CHECK-SAME: {"tensor":[[#]],"dims":{{.}}["n6"]]}
module @heads {
  func.func @main(
      %table: tensor<32x24xf32> {smith.name = "table", smith.role = "param"},
      %w: tensor<24x24xf32> {smith.name = "w", smith.role = "param"},
      %s: tensor<6xf32> {smith.name = "s", smith.role = "param"},
      %tokens: tensor<4x16xi32> {smith.name = "tokens", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.reshape %tokens : (tensor<4x16xi32>) -> tensor<4x16x1xi32>
    %x = "stablehlo.gather"(%table, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 24>}> : (tensor<32x24xf32>, tensor<4x16x1xi32>) -> tensor<4x16x24xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x24xf32>, tensor<24x24xf32>) -> tensor<4x16x24xf32>
    %heads = stablehlo.reshape %y : (tensor<4x16x24xf32>) -> tensor<4x16x4x6xf32>
    %scales = stablehlo.broadcast_in_dim %s, dims = [3] : (tensor<6xf32>) -> tensor<4x16x4x6xf32>
    %scaled = stablehlo.multiply %heads, %scales : tensor<4x16x4x6xf32>
    %loss = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x16x4x6xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The batch may be any dimension of an argument. Without integer arguments no
// dimension counts positions.

// CHECK-LABEL: "model": "batch_last"
// CHECK: "global_batch": 4
// CHECK-NEXT: "sequence_length": 1
// CHECK: {"name":"x","shape":[6,10,1],"type":"f32","role":"batch"}
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: {"name":"n8","size":8},{"name":"n10","size":10},{"name":"b","size":1,"role":"batch"}
// A transpose is a view: the sum reads the product as it is in memory.
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: "operands":[{"tensor":2,"dims":{{.}}["n8"],["n10"],["b"]]}]
module @batch_last {
  func.func @main(
      %w: tensor<8x6xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<6x10x4xf32> {smith.name = "x", smith.role = "batch", smith.batch_dim = 2 : i64})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x10x4xf32>) -> tensor<8x10x4xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<8x10x4xf32>) -> tensor<4x8x10xf32>
    %2 = stablehlo.tanh %1 : tensor<4x8x10xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x10xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Parts of different sizes are no dimension. What reads them can split neither
// the parts nor the whole; the product that makes them can split the whole.

// CHECK-LABEL: "model": "unequal_parts"
// CHECK: {"name":"w","shape":[8,12]
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: {"name":"n12","size":12},{"name":"n8","size":8,"kind":"reduction"}
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"name":"b","size":1,"kind":"reduction","role":"batch"},{"name":"n8","size":8,"kind":"whole"}
module @unequal_parts {
  func.func @main(
      %w: tensor<8x12xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %a = stablehlo.slice %0 [0:4, 0:8] : (tensor<4x12xf32>) -> tensor<4x8xf32>
    %b = stablehlo.slice %0 [0:4, 8:12] : (tensor<4x12xf32>) -> tensor<4x4xf32>
    %c = stablehlo.concatenate %b, %a, dim = 1 : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x12xf32>
    %1 = stablehlo.tanh %c : tensor<4x12xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A reshape that joins samples and positions leaves both: rows are samples ×
// positions in the workload, and one sequence has 16 of them.

// CHECK-LABEL: "model": "joined_rows"
// CHECK: {"name":"x","shape":[1,16,8]
// CHECK: {"name":"w.out","shape":[1,16,8]
// CHECK: {"name":"w","kind":"matmul"
// CHECK-SAME: {"name":"b","size":1,"role":"batch"},{"name":"n16","size":16},{"name":"n8","size":8},{"name":"n8_2","size":8,"kind":"reduction"}
// Of 16 rows: 2 · 16 · 8 · 8.
// CHECK-SAME: "flops":2048
module @joined_rows {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x16x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.reshape %x : (tensor<4x16x8xf32>) -> tensor<64x8xf32>
    %0 = stablehlo.dot_general %rows, %w, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
    %1 = stablehlo.tanh %0 : tensor<64x8xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// Shifted windows of positions: a shard would have to read its neighbour's, so
// the positions stay whole. Samples and channels may be split.

// CHECK-LABEL: "model": "window"
// CHECK: {"name":"w","kind":"fused"
// CHECK-SAME: "factors":[{"name":"b","size":1,"kind":"reduction","role":"batch"},{"name":"n16","size":16,"kind":"whole"},{"name":"n8","size":8,"kind":"reduction"}]
// One of three rows of the weight is read, of which no dimension can be split.
// CHECK-SAME: {"tensor":2,"dims":{{.}}[],["n8"]]}
module @window {
  func.func @main(
      %w: tensor<3x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x16x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %padded = stablehlo.pad %x, %zero, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<4x18x8xf32>
    %t0 = stablehlo.slice %padded [0:4, 0:16, 0:8] : (tensor<4x18x8xf32>) -> tensor<4x16x8xf32>
    %t1 = stablehlo.slice %padded [0:4, 2:18, 0:8] : (tensor<4x18x8xf32>) -> tensor<4x16x8xf32>
    %s0 = stablehlo.slice %w [0:1, 0:8] : (tensor<3x8xf32>) -> tensor<1x8xf32>
    %r0 = stablehlo.reshape %s0 : (tensor<1x8xf32>) -> tensor<8xf32>
    %b0 = stablehlo.broadcast_in_dim %r0, dims = [2] : (tensor<8xf32>) -> tensor<4x16x8xf32>
    %m0 = stablehlo.multiply %t0, %b0 : tensor<4x16x8xf32>
    %m1 = stablehlo.multiply %t1, %m0 : tensor<4x16x8xf32>
    %loss = stablehlo.reduce(%m1 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
