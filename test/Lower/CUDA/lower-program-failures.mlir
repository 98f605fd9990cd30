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

// -----

// Fusing once more would change a program whose memory is laid out.

func.func @main(%x: tensor<4xf32> {smith.offset = 0 : i64}) -> (tensor<4xf32> {smith.offset = 0 : i64}) {
  // expected-error @below {{the program is lowered already: this op has its place in memory; lower-program starts from the program of partitioning}}
  %0 = smith.kernel(%x) domain = [4] reduced = [] attributes {smith.offsets = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%row: tensor<4xf32>):
    %1 = stablehlo.negate %row : tensor<4xf32>
    smith.kernel_yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Tiles of eight keys and values of 1,000 features are larger than what a block
// may share.

func.func @main(%q: tensor<1x16x1000xf32>, %k: tensor<16x1000xf32>) -> tensor<1x16x1000xf32> {
  // expected-error @below {{unsupported on CUDA: attention whose keys and values have 1000 and 1000 features, more than the shared memory of a block holds; --attention-scores 9223372036854775807 leaves attention written out}}
  %o, %l = smith.attention %q, %k, %k scale = 1.0 : (tensor<1x16x1000xf32>, tensor<16x1000xf32>, tensor<16x1000xf32>) -> (tensor<1x16x1000xf32>, tensor<1x16xf32>)
  return %o : tensor<1x16x1000xf32>
}

// -----

func.func @main(%q: tensor<1x16x8xf32>, %k: tensor<16x8xf32>) -> tensor<1x16x8xf32> {
  // expected-error @below {{unsupported on CUDA: attention in zigzag of which one rank has all positions}}
  %o, %l = smith.attention %q, %k, %k causal ring zigzag = 2 scale = 1.0 : (tensor<1x16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> (tensor<1x16x8xf32>, tensor<1x16xf32>)
  return %o : tensor<1x16x8xf32>
}
