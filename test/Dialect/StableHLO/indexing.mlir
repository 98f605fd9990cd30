// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @gathers(%arg0: tensor<50x12xf32>, %arg1: tensor<4x9xi32>, %arg2: tensor<6x5xf32>, %arg3: tensor<6x3x1xi64>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 12>}> : (tensor<50x12xf32>, tensor<4x9xi32>) -> tensor<4x9x12xf32>
    %1 = "stablehlo.gather"(%arg2, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<6x5xf32>, tensor<6x3x1xi64>) -> tensor<6x3xf32>
    return
  }
  func.func @scatters(%arg0: tensor<50x12xf32>, %arg1: tensor<50x12xi32>, %arg2: tensor<9x1xi32>, %arg3: tensor<9x12xf32>, %arg4: tensor<9x12xi32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg2, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %2 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<50x12xf32>, tensor<9x1xi32>, tensor<9x12xf32>) -> tensor<50x12xf32>
    %1:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
      stablehlo.return %arg7, %arg8 : tensor<f32>, tensor<i32>
    }) : (tensor<50x12xf32>, tensor<50x12xi32>, tensor<9x1xi32>, tensor<9x12xf32>, tensor<9x12xi32>) -> (tensor<50x12xf32>, tensor<50x12xi32>)
    return
  }
}

