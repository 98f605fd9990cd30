// RUN: shardsmith-opt %s --import-library-calls --split-input-file --verify-diagnostics

func.func @no_options(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @below {{'@lapack_spotrf_ffi' needs an option 'uplo' in mhlo.backend_config, the number of one of the letters LU}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}

// -----

func.func @unknown_letter(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @below {{needs an option 'side' in mhlo.backend_config, the number of one of the letters LR}}
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {diag = 78 : ui8, side = 88 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @other_count(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @below {{'@lapack_spotrf_ffi' takes 1 and gives 2 tensors}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @other_type(%a: tensor<3x3xf32>) -> tensor<9xf32> {
  // expected-error @below {{'@lapack_spotrf_ffi' gives a matrix of the type that it takes}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<9xf32>, tensor<i32>)
  return %0#0 : tensor<9xf32>
}
