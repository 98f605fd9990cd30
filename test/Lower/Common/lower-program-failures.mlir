// RUN: shardsmith-opt %s --lower-program --split-input-file --verify-diagnostics

// expected-error @below {{needs a function @main of one block}}
module {
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

func.func @main(%x: tensor<1x8x8x3xcomplex<f32>>, %w: tensor<3x3x3x4xcomplex<f32>>) -> tensor<1x6x6x4xcomplex<f32>> {
  // expected-error @below {{unsupported on CPU: convolution of complex<f32>}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xcomplex<f32>>, tensor<3x3x3x4xcomplex<f32>>) -> tensor<1x6x6x4xcomplex<f32>>
  return %0 : tensor<1x6x6x4xcomplex<f32>>
}

// -----

func.func @main(%x: tensor<1x1x1x1x1x1x1x1x1x1x3xf32>, %w: tensor<1x1x1x1x1x1x1x1x1x3x4xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x4xf32> {
  // expected-error @below {{unsupported on CPU: convolution over 9 spatial dimensions, at most 8 are possible}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, 3, 4, 5, 6, 7, 8, f]x[0, 1, 2, 3, 4, 5, 6, 7, 8, i, o]->[b, 0, 1, 2, 3, 4, 5, 6, 7, 8, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1x1x1x1x1x1x1x1x3xf32>, tensor<1x1x1x1x1x1x1x1x1x3x4xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x4xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x1x4xf32>
}

// -----

// Ops without a lowering are named, with what keeps them from one.
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{unsupported on CPU: 'stablehlo.fft' has no lowering}}
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported on CPU: sort with stablehlo.reduce_precision in its body}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.reduce_precision %a, format = e5m2 : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported on CPU: sort whose body reads a value from outside}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %y: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {
  // expected-error @below {{unsupported on CPU: sort of complex<f32>}}
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<complex<f32>>, %d: tensor<complex<f32>>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xcomplex<f32>>
}

// -----

// An addition has a lowering, but not one of complex elements.
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{unsupported on CPU: 'stablehlo.add' of complex<f32> has no lowering}}
  %0 = stablehlo.add %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A reduction is a kernel only if its body is made of element ops.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported on CPU: 'stablehlo.reduce' with stablehlo.reduce_precision in its body}}
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.reduce_precision %a, format = e5m2 : tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  // expected-error @below {{unsupported on CPU: scatter of several tensors at once}}
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<9xf32>, tensor<9xf32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<9xf32>, tensor<9xf32>)
  return %0#0, %0#1 : tensor<9xf32>, tensor<9xf32>
}

// -----

func.func @main(%x: tensor<9xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<9xf32> {
  // expected-error @below {{unsupported on CPU: scatter with stablehlo.reduce_precision in its body}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.reduce_precision %b, format = e5m2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @main(%x: tensor<9xcomplex<f32>>, %i: tensor<3x1xi32>, %u: tensor<3xcomplex<f32>>) -> tensor<9xcomplex<f32>> {
  // expected-error @below {{unsupported on CPU: scatter of complex<f32>}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    stablehlo.return %b : tensor<complex<f32>>
  }) : (tensor<9xcomplex<f32>>, tensor<3x1xi32>, tensor<3xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return %0 : tensor<9xcomplex<f32>>
}

// -----

// A program whose tensors no memory holds is refused before any is planned.
// expected-error @below {{the program's tensors exceed 2^63 bytes}}
func.func @main(%x: tensor<1152921504606846976xf64>, %y: tensor<1152921504606846976xf64>) {
  return
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{unsupported on CPU: 'stablehlo.reduce_window' with stablehlo.reduce_precision in its body}}
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.reduce_precision %b, format = e5m2 : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Products have a lowering, but not of complex elements.
func.func @main(%x: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-error @below {{unsupported on CPU: 'stablehlo.dot_general' of complex<f32> x complex<f32> to complex<f32> has no lowering}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}
