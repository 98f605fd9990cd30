// RUN: shardsmith-opt %s --report-factor-rules --verify-diagnostics -o /dev/null

func.func @rules(%x: tensor<8x4xf32>) {
  // expected-remark @below {{([i, j])->([i, j]) {i=8, j=4}}}
  %0 = chlo.erf %x : tensor<8x4xf32> -> tensor<8x4xf32>
  // The searched dimension must be whole.
  // expected-remark @below {{([i, j])->([i, k], [i, k]) {i=8, j=4, k=3} need_replication={j, k}}}
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<8x4xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  return
}

// Rows and groups must be whole, whatever the order of dimensions.
func.func @ragged(%rows: tensor<12x8xf32>, %w: tensor<4x5x8xf32>, %sizes: tensor<4xi32>,
    %batches: tensor<3x12x8xf32>, %own: tensor<3x8x4x5xf32>) {
  // expected-remark @below {{([i, l], [j, k, l], [m])->([i, k]) {i=12, j=4, k=5, l=8, m=4} reduction={l} need_replication={i, j, m}}}
  %y = "chlo.ragged_dot"(%rows, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x5x8xf32>, tensor<4xi32>) -> tensor<12x5xf32>
  // expected-remark @below {{([l, j], [l, k], [m])->([i, j, k]) {i=4, j=8, k=5, l=12, m=4} need_replication={i, l, m}}}
  %d = "chlo.ragged_dot"(%rows, %y, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<12x8xf32>, tensor<12x5xf32>, tensor<4xi32>) -> tensor<4x8x5xf32>
  // expected-remark @below {{([i, j, m], [i, m, k, l], [n])->([i, j, l]) {i=3, j=12, k=4, l=5, m=8, n=4} reduction={m} need_replication={j, k, n}}}
  %b = "chlo.ragged_dot"(%batches, %own, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [2]>}> : (tensor<3x12x8xf32>, tensor<3x8x4x5xf32>, tensor<4xi32>) -> tensor<3x12x5xf32>
  return
}
