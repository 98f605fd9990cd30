// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @components(%x: tensor<9x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error@+1 {{has index vectors of 2 components, but start_index_map has 1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @slice_too_large(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{slice_sizes has size 5 in dimension 1, outside [0, 4]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @collapsed_size(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{slice_sizes has size 2 in collapsed or batching dimension 0; it must be 0 or 1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @offset_count(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{needs one entry of offset_dims per kept slice dimension: expected 1, found 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @offset_order(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{offset_dims must increase, found [2, 1]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4x1xf32>
  return
}

// -----

func.func @both_collapsed_and_batching(%x: tensor<9x4xf32>, %i: tensor<9x1xi32>) {
  // expected-error@+1 {{has dimension 0 in both collapsed_slice_dims and operand_batching_dims}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<9x1xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @batch_sizes(%x: tensor<9x4xf32>, %i: tensor<8x1xi32>) {
  // expected-error@+1 {{batches dimension 0 of size 9 with index dimension 0 of size 8}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x4xf32>, tensor<8x1xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @vector_dimension(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{has index_vector_dim 3, outside [0, 2]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{needs results of type ('tensor<3x4xf32>'), found ('tensor<4x3xf32>')}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @update_batch(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<2x4xf32>) {
  // expected-error@+1 {{has updates of size 2 in dimension 0, but 3 index vectors along it}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<2x4xf32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @update_window(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error@+1 {{has updates of size 5 in dimension 1, beyond input dimension 1 of size 4}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @update_rank(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4x1xf32>) {
  // expected-error@+1 {{needs updates of rank 2, found [3, 4, 1]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4x1xf32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @scatter_result(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{needs results of the inputs' types, found 'tensor<8x4xf32>' for 'tensor<9x4xf32>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @combiner(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{needs update_computation to take ('tensor<f32>', 'tensor<f32>'), found ('tensor<i32>', 'tensor<f32>')}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return
}

// -----

// The number that stands for an unknown size.
func.func @unknown_size(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+1 {{slice_sizes has size -9223372036854775808; expected sizes from 0 on}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: -9223372036854775808, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @unknown_range(%x: tensor<10x5xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{slice_sizes has size -9223372036854775808; expected sizes from 0 on}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [-9223372036854775808, 5] : (tensor<10x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
  return
}
