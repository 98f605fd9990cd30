// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @case(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{pairs contracting dimension 1 of lhs, of size 3, with dimension 0 of rhs, of size 4}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{needs as many contracting dimensions of lhs as of rhs, found [1] and []}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{lhs batching and contracting dimensions has dimension 0 twice: [0, 0]}}
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{must have result shape [2, 5], found [5, 2]}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{needs a precision per operand, found 1}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{unknown precision 'BEST', expected DEFAULT, HIGH or HIGHEST}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [BEST, HIGH] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{needs vectors or matrices, found 'tensor<2x3x4xf32>' and 'tensor<3xf32>'}}
  %0 = stablehlo.dot %x, %y : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2xf32>) {
  // expected-error@+1 {{needs input, kernel and result of one rank, found 3, 2 and 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2xf32>) -> tensor<1x4x2xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x3x6xf32>) {
  // expected-error@+1 {{needs 2 input features in the kernel, found 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x3x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x3xf32>, %k: tensor<2x3x6xf32>) {
  // expected-error@+1 {{needs feature_group_count to divide the input features, found 2 and 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x3xf32>, tensor<2x3x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<2x4x2xf32>, %k: tensor<2x1x6xf32>) {
  // expected-error@+1 {{needs feature_group_count or batch_group_count to be 1, found 2 and 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x4x2xf32>, tensor<2x1x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{must have result shape [1, 3, 6], found [1, 4, 6]}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{needs window stride of at least 1, found 0 in dimension 0}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{needs padding of shape [1, 2], found [2, 2]}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{unknown window attribute 'strides', expected stride, pad, lhs_dilate, rhs_dilate or reverse}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {strides = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{unknown dimension 'q', expected 'b', 'f' or a number}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, q]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<1x4x2xf32>, %k: tensor<2x2x6xf32>) {
  // expected-error@+1 {{spatial dimensions must be numbered 0 to 0, each once}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<2x2x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{dimensions has dimension 2, outside [0, 2)}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{must have result shape [2], found [3]}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %z: tensor<f64>) {
  // expected-error@+1 {{needs a scalar init of 'f32', found 'tensor<f64>'}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.subtract' is not a commutative op; write the body as a 'reducer'}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.subtract across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{needs square matrices in a, found 2 by 3}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>
  return
}

// -----

func.func @case(%a: tensor<3x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{needs dimension 0 of b to be of size 3, found 4}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @case(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{needs transpose_a NO_TRANSPOSE, TRANSPOSE or ADJOINT}}
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @case(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{of type RFFT needs real elements, found 'complex<f32>'}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @case(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{of type FFT and length [7] needs minor dimensions [7], found [8]}}
  %0 = stablehlo.fft %x, type = FFT, length = [7] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %v: tensor<2xf32>) {
  // expected-error@+1 {{needs vectors of the 3 features of dimension 1, found 'tensor<2xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @case(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{has feature_index 2, outside [0, 2)}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
