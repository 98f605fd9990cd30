// RUN: shardsmith-opt %s --lower-program=target=cuda --split-input-file --verify-diagnostics
//
// What devices have no code for is refused by name.

func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{unsupported on CUDA: 'stablehlo.exponential' with these types has no lowering}}
  %0 = stablehlo.exponential %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported on CUDA: 'stablehlo.remainder' with these types has no lowering}}
  %0 = stablehlo.remainder %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<10x8xf32>, %i: tensor<7x1xi32>, %u: tensor<7x8xf32>) -> tensor<10x8xf32> {
  // expected-error @below {{unsupported on CUDA: scatter with stablehlo.remainder of these types in its body}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.remainder %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10x8xf32>, tensor<7x1xi32>, tensor<7x8xf32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}
