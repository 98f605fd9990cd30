// RUN: shardsmith-opt --print-workload --split-input-file %s -o /dev/null | FileCheck %s

// A depthwise convolution is a product per channel: 2 · 8 channels · 8 · 8
// places · 3 · 3 operations of one sample, of which the batch alone is split.
// Its kernel's window is one dimension, because no op treats rows and columns
// of it differently. A convolution of 1 × 1 is a product over channels, whose
// places are those of the image.

// CHECK-LABEL: "model": "depthwise"
// CHECK: {"name":"k","shape":[8,9]
// CHECK: {"name":"p","shape":[12,8]
// CHECK: {"name":"k","kind":"matmul"
// CHECK-SAME: "factors":[{"name":"b","size":1,"role":"batch"},{"name":"n8","size":8,"kind":"whole"}
// CHECK-SAME: {"name":"n9","size":9,"kind":"whole"}
// CHECK-SAME: "flops":9216
// CHECK: {"name":"p","kind":"matmul"
// CHECK-SAME: {"name":"n12","size":12},
// CHECK-SAME: {"name":"n8_3","size":8,"kind":"reduction"}
// CHECK-SAME: {"tensor":3,"dims":{{.}}["n12"],["n8_3"]]}
// CHECK-SAME: "flops":12288
module @depthwise {
  func.func @main(
      %k: tensor<8x1x3x3xf32> {smith.name = "k", smith.role = "param"},
      %p: tensor<12x8x1x1xf32> {smith.name = "p", smith.role = "param"},
      %x: tensor<4x8x10x10xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 8 : i64}> : (tensor<4x8x10x10xf32>, tensor<8x1x3x3xf32>) -> tensor<4x8x8x8xf32>
    %1 = "stablehlo.convolution"(%0, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64}> : (tensor<4x8x8x8xf32>, tensor<12x8x1x1xf32>) -> tensor<4x12x8x8xf32>
    %2 = stablehlo.tanh %1 : tensor<4x12x8x8xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// What has no kernel of a known shape is an op by itself: nothing of a matrix
// can be split while it is factored, but matrices of samples can. The derivative
// of a factor reads what it was made of and the factor.

// CHECK-LABEL: "model": "solver"
// CHECK: {"name":"w.out",{{.*}},"saved":true}
// CHECK-NEXT: {"name":"cholesky.out","shape":[1,64],{{.*}},"saved":true}
// CHECK-NEXT: {"name":"triangular_solve.out","shape":[1,64],"type":"f32","role":"activation"}
// CHECK: {"name":"cholesky","kind":"fused"
// CHECK-SAME: "factors":[{"name":"b","size":1,"role":"batch"},{"name":"n64","size":64,"kind":"whole"}
// CHECK: {"name":"triangular_solve","kind":"fused"
// CHECK-SAME: "factors":[{"name":"b","size":1,"role":"batch"},{"name":"n64","size":64,"kind":"whole"}
// The data is read as well: dimensions of 8 × 8, since a reader of it needs them.
// CHECK-SAME: {"tensor":0,"dims":{{.}}["b"],["n8"],["n8_2"]]}
module @solver {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %wide = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x8x8xf32>, tensor<8x8xf32>) -> tensor<4x8x8xf32>
    %l = stablehlo.cholesky %wide, lower = true : tensor<4x8x8xf32>
    %y = "stablehlo.triangular_solve"(%l, %x) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x8x8xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A sort needs the row that it sorts whole. The best two of eight are a part
// of its result, which the sum reads.

// CHECK-LABEL: "model": "sorted"
// CHECK: {"name":"sort.out","shape":[1,4,2]
// CHECK: {"name":"sort","kind":"fused"
// CHECK-SAME: {"name":"b","size":1,"role":"batch"}
// CHECK-SAME: {"name":"n8","size":8,"kind":"whole"}
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"tensor":3,"dims":{{.}}["b"],[],["n2"]]}
// A sum is linear: partial sums of its operand may pass.
// CHECK-SAME: "linear_operand_sets":{{.}}[0]]
module @sorted {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.slice %1 [0:4, 6:8] : (tensor<4x8xf32>) -> tensor<4x2xf32>
    %loss = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A product of two activations has no parameter and is a product all the same;
// both are read by its derivative. The type that counts is that of the largest
// product's operands, and results may be wider.

// CHECK-LABEL: "model": "pairwise"
// CHECK: "compute_type": "bf16"
// CHECK: {"name":"w.out",{{.*}}"type":"bf16","role":"activation","saved":true}
// CHECK: {"name":"v.out",{{.*}}"type":"bf16","role":"activation","saved":true}
// CHECK-NEXT: {"name":"dot_general.out","shape":[1,16,16],"type":"f32","role":"activation","saved":true}
// CHECK: {"name":"dot_general","kind":"matmul"
// CHECK-SAME: {"tensor":2,"dims":{{.}}["b"],["n16"],["n8"]]},{"tensor":4,"dims":{{.}}["b"],["n16_2"],["n8"]]}
// CHECK-SAME: "linear_operand_sets":{{.}}[0],[1]]
module @pairwise {
  func.func @main(
      %w: tensor<8x8xbf16> {smith.name = "w", smith.role = "param"},
      %v: tensor<8x8xbf16> {smith.name = "v", smith.role = "param"},
      %x: tensor<4x16x8xbf16> {smith.name = "x", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x16x8xbf16>, tensor<8x8xbf16>) -> tensor<4x16x8xbf16>
    %b = stablehlo.dot_general %x, %v, contracting_dims = [2] x [0] : (tensor<4x16x8xbf16>, tensor<8x8xbf16>) -> tensor<4x16x8xbf16>
    %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x16x8xbf16>, tensor<4x16x8xbf16>) -> tensor<4x16x16xf32>
    %d = stablehlo.tanh %c : tensor<4x16x16xf32>
    %loss = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// One element of each sample's row, at a place that the batch says: the kernel
// that reads it fuses, and sums over the row as a shard without the element does.

// CHECK-LABEL: "model": "rolled"
// CHECK-NOT: "kind":"lookup"
// CHECK-NOT: "kind":"dispatch"
// CHECK: {"name":"reduce","kind":"fused"
// CHECK-SAME: {"name":"n8","size":8,"kind":"reduction"}
// CHECK-SAME: {"tensor":4,"dims":{{.}}["b"]]}
// CHECK-SAME: "flops":1}
module @rolled {
  func.func @main(
      %w: tensor<8x8xf32> {smith.name = "w", smith.role = "param"},
      %x: tensor<4x8xf32> {smith.name = "x", smith.role = "batch"},
      %at: tensor<4xi32> {smith.name = "at", smith.role = "batch"})
      -> (tensor<f32> {smith.role = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %column = stablehlo.reshape %at : (tensor<4xi32>) -> tensor<4x1xi32>
    %1 = "stablehlo.gather"(%0, %column) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4xf32>
    %loss = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
