// RUN: shardsmith-opt %s --lower-program=target=cuda --split-input-file --verify-diagnostics
//
// What devices have no code for is refused by name.

func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{unsupported on CUDA: 'stablehlo.exponential' of f64 has no lowering}}
  %0 = stablehlo.exponential %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{unsupported on CUDA: 'stablehlo.remainder' of f64 has no lowering}}
  %0 = stablehlo.remainder %x, %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @main(%x: tensor<10x8xf64>, %i: tensor<7x1xi32>, %u: tensor<7x8xf64>) -> tensor<10x8xf64> {
  // expected-error @below {{unsupported on CUDA: scatter with stablehlo.remainder of f64 in its body}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.remainder %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<10x8xf64>, tensor<7x1xi32>, tensor<7x8xf64>) -> tensor<10x8xf64>
  return %0 : tensor<10x8xf64>
}

// -----

func.func @main(%x: tensor<0x8xf32>, %g: tensor<0xi32>, %y: tensor<0x4xf32>, %t: tensor<0x5xf32>) -> (tensor<2x8x4xf32>, tensor<0x2xf32>) {
  // expected-error @below {{unsupported on CUDA: 'smith.grouped_outer' of a tensor without elements has no lowering}}
  %0 = smith.grouped_outer %x, %g, %y : (tensor<0x8xf32>, tensor<0xi32>, tensor<0x4xf32>) -> tensor<2x8x4xf32>
  // expected-error @below {{unsupported on CUDA: 'chlo.top_k' of a tensor without elements has no lowering}}
  %1:2 = chlo.top_k(%t, k = 2) : tensor<0x5xf32> -> (tensor<0x2xf32>, tensor<0x2xi32>)
  return %0, %1#0 : tensor<2x8x4xf32>, tensor<0x2xf32>
}

// -----

func.func @main(%x: tensor<6x8xf64>, %g: tensor<6xi32>, %w: tensor<2x8x4xf64>, %y: tensor<6x4xf32>) -> (tensor<6x4xf64>, tensor<2x8x4xf64>) {
  // expected-error @below {{unsupported on CUDA: 'smith.grouped_dot' of f64 has no lowering}}
  %0 = smith.grouped_dot %x, %g, %w : (tensor<6x8xf64>, tensor<6xi32>, tensor<2x8x4xf64>) -> tensor<6x4xf64>
  // expected-error @below {{unsupported on CUDA: 'smith.grouped_outer' of f64 has no lowering}}
  %1 = smith.grouped_outer %x, %g, %y : (tensor<6x8xf64>, tensor<6xi32>, tensor<6x4xf32>) -> tensor<2x8x4xf64>
  return %0, %1 : tensor<6x4xf64>, tensor<2x8x4xf64>
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

// -----

// All ops are named, equal ones together; types only where the op has a
// lowering with others.

func.func @main(%x: tensor<4xf64>, %y: tensor<4xf32>, %z: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  // expected-error @below {{unsupported on CUDA: 'stablehlo.exponential' of f64 has no lowering (and in 1 more place)}}
  %0 = stablehlo.exponential %x : tensor<4xf64>
  %1 = stablehlo.exponential %0 : tensor<4xf64>
  // expected-error @below {{unsupported on CUDA: 'chlo.zeta' has no lowering (and in 1 more place)}}
  %2 = chlo.zeta %x, %x : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  %3 = chlo.zeta %y, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // expected-error @below {{unsupported on CUDA: sort with chlo.zeta in its body}}
  %4 = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %7 = chlo.zeta %a, %b : tensor<f32>, tensor<f32> -> tensor<f32>
    %6 = stablehlo.compare LT, %7, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{unsupported on CUDA: 'stablehlo.reduce' with stablehlo.remainder of f64 in its body}}
  %5 = stablehlo.reduce(%z init: %one) across dimensions = [1] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
   reducer(%a: tensor<f64>, %b: tensor<f64>) {
    %6 = stablehlo.remainder %a, %b : tensor<f64>
    stablehlo.return %6 : tensor<f64>
  }
  return %1, %2, %3, %4, %5 : tensor<4xf64>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
}

// -----

func.func @main(%x: tensor<2x8x4xi1>, %w: tensor<3x4x5xi1>) -> tensor<2x6x5xi1> {
  // expected-error @+1 {{unsupported on CUDA: 'stablehlo.convolution' of i1 has no lowering}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xi1>, tensor<3x4x5xi1>) -> tensor<2x6x5xi1>
  return %0 : tensor<2x6x5xi1>
}

// -----

func.func @main(%x: tensor<4x4xbf16>, %y: tensor<4x4xf32>) -> (tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-error @below {{unsupported on CUDA: 'stablehlo.cholesky' of bf16; convert the matrices}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xbf16>
  // expected-error @below {{unsupported on CUDA: 'smith.qr' has no lowering}}
  %1:2 = smith.qr %y : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %0, %1#0, %1#1 : tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xf32>
}
