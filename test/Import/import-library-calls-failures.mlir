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

// -----

func.func @full_matrices(%a: tensor<3x2xf32>) -> tensor<3x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  %1 = stablehlo.pad %0#0, %zero, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
  // expected-error @below {{unsupported: an orthogonal matrix of 'tensor<3x3xf32>' from one of 'tensor<3x2xf32>'; expected 'tensor<3x2xf32>' (full_matrices=False)}}
  %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) : (tensor<3x3xf32>, tensor<2xf32>) -> tensor<3x3xf32>
  return %2 : tensor<3x3xf32>
}

// -----

func.func @reflections(%a: tensor<3x2xf32>) -> tensor<2xf32> {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  // expected-error @below {{unsupported: reflections of a matrix other than in the call that makes an orthogonal matrix of them}}
  %1 = stablehlo.add %0#1, %0#1 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

func.func @packed_type(%a: tensor<3x2xf32>) -> tensor<6xf32> {
  // expected-error @below {{'@lapack_sgeqrf_ffi' gives a matrix of the type that it takes}}
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<3x2xf32>) -> (tensor<6xf32>, tensor<2xf32>)
  return %0#0 : tensor<6xf32>
}

// -----

func.func @values_alone(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  // expected-error @below {{needs an option 'mode' in mhlo.backend_config, the number of one of the letters V}}
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>)
  return %0#1 : tensor<2xf32>
}

// -----

func.func @no_matrix(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'@lapack_sgetrf_ffi' takes matrices, got 'tensor<2xf32>'}}
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<i32>)
  return %0#0 : tensor<2xf32>
}
