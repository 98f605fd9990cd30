// RUN: shardsmith-opt %s --report-factor-rules --verify-diagnostics -o /dev/null

// Elementwise ops share one factor per dimension; scalars have none.
func.func @elementwise(%x: tensor<8x4xf32>, %p: tensor<i1>, %s: tensor<f32>) {
  // expected-remark @below {{([i, j], [i, j])->([i, j]) {i=8, j=4}}}
  %0 = stablehlo.add %x, %x : tensor<8x4xf32>
  // expected-remark @below {{([], [i, j], [i, j])->([i, j]) {i=8, j=4}}}
  %1 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<8x4xf32>
  // expected-remark @below {{([], [i, j], [])->([i, j]) {i=8, j=4}}}
  %2 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

func.func @generators() {
  // expected-remark @below {{()->([i, j]) {i=8, j=4}}}
  %0 = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  // expected-remark @below {{()->([i]) {i=8}}}
  %1 = stablehlo.iota dim = 0 : tensor<8xi32>
  return
}

func.func @contractions(%a: tensor<2x8x4xf32>, %b: tensor<2x4x6xf32>,
                        %x: tensor<8x16x16x3xf32>, %k: tensor<3x3x3x32xf32>) {
  // expected-remark @below {{([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=8, k=6, l=4} reduction={l}}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<2x4x6xf32>) -> tensor<2x8x6xf32>
  // Spatial dimensions need neighbours, input features are summed.
  // expected-remark @below {{([i, l, n, k], [m, o, k, j])->([i, l, n, j]) {i=8, j=32, k=3, l=14, m=3, n=14, o=3} reduction={k} need_replication={m, o} permutation={l, n} neighbours={l of operand 0: e in [p, p+3), n of operand 0: e in [p, p+3)}}}
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x3xf32>, tensor<3x3x3x32xf32>) -> tensor<8x14x14x32xf32>
  return
}

// Groups are the major part of features; with groups of samples, of samples. A
// kernel as long as the image is split along with it.
func.func @grouped_convolutions(%x: tensor<8x16x4xf32>, %k: tensor<3x1x4xf32>, %y: tensor<4x16x8xf32>, %g: tensor<16x8x4xf32>) {
  // expected-remark @below {{([j, m, il], [n, l, ik])->([j, m, ik]) {i=4, j=8, k=1, l=1, m=14, n=3} reduction={l} need_replication={n} permutation={m} neighbours={m of operand 0: e in [p, p+3)}}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<8x16x4xf32>, tensor<3x1x4xf32>) -> tensor<8x14x4xf32>
  // expected-remark @below {{([ij, n, l], [n, l, ik])->([m, j, ik]) {i=4, j=1, k=1, l=8, m=3, n=16} reduction={l, n} need_replication={m} neighbours={n of operand 0: e in [p-1, p+2)}}}
  %1 = stablehlo.convolution(%y, %g) dim_numbers = [b, 0, f]x[0, i, o]->[0, b, f], window = {pad = [[1, 1]]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<4x16x8xf32>, tensor<16x8x4xf32>) -> tensor<3x1x4xf32>
  return
}

// A dimension passes through if its windows are of one element, at the places
// of the operand: equal sizes alone do not mean that.
func.func @windows(%x: tensor<8x6x6xf32>, %g: tensor<8x6x6xf32>, %zero: tensor<f32>) {
  // expected-remark @below {{([i, j, k], [])->([i, j, k]) {i=8, j=6, k=6} permutation={j, k} neighbours={j of operand 0: e in [p-1, p+2), k of operand 0: e in [p-1, p)}}}
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, -1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x6x6xf32>, tensor<f32>) -> tensor<8x6x6xf32>
  // expected-remark @below {{([i, j, l], [i, k, m], [])->([i, j, l]) {i=8, j=6, k=6, l=6, m=6} need_replication={j, k, l, m}}}
  %1 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, -1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %ge = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %ge : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x6x6xf32>, tensor<8x6x6xf32>, tensor<f32>) -> tensor<8x6x6xf32>
  return
}

func.func @reduce(%x: tensor<8x4xf32>, %k: tensor<8x4xi32>, %zero: tensor<f32>, %n: tensor<i32>) {
  // expected-remark @below {{([i, j], [])->([i]) {i=8, j=4} reduction={j}}}
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  // An argmax cannot be combined from shards by one associative op.
  // expected-remark @below {{([i, j], [i, j], [], [])->([i], [i]) {i=8, j=4} need_replication={j}}}
  %1:2 = stablehlo.reduce(%x init: %zero), (%k init: %n) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%va: tensor<f32>, %vb: tensor<f32>) (%ia: tensor<i32>, %ib: tensor<i32>)  {
    %t = stablehlo.compare GT, %va, %vb, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %t, %va, %vb : tensor<i1>, tensor<f32>
    %j = stablehlo.select %t, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %v, %j : tensor<f32>, tensor<i32>
  }
  return
}

func.func @reshapes(%a: tensor<8x4xf32>, %b: tensor<6xf32>, %c: tensor<2x3xf32>, %d: tensor<1x8xf32>) {
  // expected-remark @below {{([ij, k])->([i, jk]) {i=2, j=4, k=4}}}
  %0 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<2x16xf32>
  // expected-remark @below {{([ij])->([i, j]) {i=2, j=3}}}
  %1 = stablehlo.reshape %b : (tensor<6xf32>) -> tensor<2x3xf32>
  // Nothing in common: every factor must be whole.
  // expected-remark @below {{([i, k])->([j, l]) {i=2, j=3, k=3, l=2} need_replication={i, j, k, l}}}
  %2 = stablehlo.reshape %c : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // A dimension of size one belongs to nobody.
  // expected-remark @below {{([i, j])->([j]) {i=1, j=8} need_replication={i}}}
  %3 = stablehlo.reshape %d : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

func.func @movement(%x: tensor<8x4xf32>, %b: tensor<8x1xf32>, %s: tensor<f32>) {
  // expected-remark @below {{([j, i])->([i, j]) {i=4, j=8}}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{([i, k])->([i, j]) {i=8, j=4, k=1} need_replication={k}}}
  %1 = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{([])->([i, j]) {i=8, j=4}}}
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  // expected-remark @below {{([i, j])->([i, j]) {i=8, j=1} permutation={j} neighbours={j of operand 0: e in [p+2, p+3)}}}
  %3 = stablehlo.slice %x [0:8, 2:3] : (tensor<8x4xf32>) -> tensor<8x1xf32>
  // expected-remark @below {{([i, j], [])->([i, j]) {i=8, j=4} permutation={j} neighbours={j of operand 0: e in [p-1, p)}}}
  %4 = stablehlo.pad %x, %s, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x6xf32>
  // expected-remark @below {{([i, j], [i, j])->([i, j]) {i=8, j=1} permutation={j} neighbours={j of operand 0: e in [p, p+1), j of operand 1: e in [p-4, p-3)}}}
  %5 = stablehlo.concatenate %x, %b, dim = 1 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x5xf32>
  // expected-remark @below {{([i, j])->([i, j]) {i=8, j=4} permutation={i} neighbours={i of operand 0: e in [-1*p+7, -1*p+8)}}}
  %6 = stablehlo.reverse %x, dims = [0] : tensor<8x4xf32>
  return
}

func.func @indexing(%e: tensor<100x16xf32>, %t: tensor<8x1xi32>, %u: tensor<8x16xf32>, %i: tensor<i32>) {
  // Rows of the table are summed over shards, columns pass through.
  // expected-remark @below {{([k, l], [i, j])->([i, l]) {i=8, j=1, k=100, l=16} reduction={k} need_replication={j}}}
  %0 = "stablehlo.gather"(%e, %t) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<100x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  // The gradient: samples are summed, rows and columns pass through.
  // expected-remark @below {{([k, l], [i, j], [i, l])->([k, l]) {i=8, j=1, k=100, l=16} reduction={i} need_replication={j}}}
  %1 = "stablehlo.scatter"(%e, %t, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<100x16xf32>
  // A shard answers zero for what it does not hold of the range.
  // expected-remark @below {{([i, k], [], [])->([j, k]) {i=100, j=1, k=16} reduction={i} need_replication={j}}}
  %2 = stablehlo.dynamic_slice %e, %i, %i, sizes = [1, 16] : (tensor<100x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
  // It writes what it holds of the range, of which there is nothing to add up.
  // expected-remark @below {{([i, k], [j, k], [], [])->([i, k]) {i=100, j=8, k=16} need_replication={j}}}
  %3 = stablehlo.dynamic_update_slice %e, %u, %i, %i : (tensor<100x16xf32>, tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<100x16xf32>
  return
}

func.func @batchwise(%x: tensor<8x4xf32>) {
  // expected-remark @below {{([i, j])->([i, k]) {i=8, j=4, k=4} need_replication={j, k}}}
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
