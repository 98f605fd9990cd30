// RUN: shardsmith-opt %s --import-library-calls | FileCheck %s

// CHECK-LABEL: func.func @factors(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x3x3xf32>, %[[B:[a-z0-9]+]]: tensor<3x3xf64>)
func.func @factors(%a: tensor<2x3x3xf32>, %b: tensor<3x3xf64>) -> (tensor<2x3x3xf32>, tensor<2xi32>, tensor<3x3xf64>) {
  // CHECK: %[[L:.*]] = stablehlo.cholesky %[[A]], lower = true : tensor<2x3x3xf32>
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[INFO:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<i32>) -> tensor<2xi32>
  // CHECK: %[[U:.*]] = stablehlo.cholesky %[[B]] : tensor<3x3xf64>
  // CHECK: return %[[L]], %[[INFO]], %[[U]]
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%b) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  return %0#0, %0#1, %1#0 : tensor<2x3x3xf32>, tensor<2xi32>, tensor<3x3xf64>
}

// CHECK-LABEL: func.func @systems(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3x3xf32>, %[[B:[a-z0-9]+]]: tensor<3x2xf32>, %[[C:[a-z0-9]+]]: tensor<2x3xf32>)
func.func @systems(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  // CHECK: "stablehlo.triangular_solve"(%[[A]], %[[B]]) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
  // CHECK: "stablehlo.triangular_solve"(%[[A]], %[[C]]) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}>
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%a, %c) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @orthogonal(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<5x3xf32>, %[[B:[a-z0-9]+]]: tensor<2x2x3xf64>)
func.func @orthogonal(%a: tensor<5x3xf32>, %b: tensor<2x2x3xf64>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x2x2xf64>, tensor<2x2x3xf64>) {
  // CHECK: %[[Q:.*]], %[[R:.*]] = smith.qr %[[A]] : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
  // CHECK: %[[PACKED:.*]] = stablehlo.pad %[[R]], %{{.*}}, low = [0, 0], high = [2, 0], interior = [0, 0]
  // CHECK: %[[QB:.*]], %[[RB:.*]] = smith.qr %[[B]] : (tensor<2x2x3xf64>) -> (tensor<2x2x2xf64>, tensor<2x2x3xf64>)
  // CHECK: return %[[Q]], %[[PACKED]], %[[QB]], %[[RB]]
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  %2:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%b) : (tensor<2x2x3xf64>) -> (tensor<2x2x3xf64>, tensor<2x2xf64>)
  %3 = stablehlo.slice %2#0 [0:2, 0:2, 0:2] : (tensor<2x2x3xf64>) -> tensor<2x2x2xf64>
  %4 = stablehlo.custom_call @lapack_dorgqr_ffi(%3, %2#1) : (tensor<2x2x2xf64>, tensor<2x2xf64>) -> tensor<2x2x2xf64>
  return %1, %0#0, %4, %2#0 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<2x2x2xf64>, tensor<2x2x3xf64>
}

// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<3x3xf32>)
func.func @others(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3xi32>) {
  // CHECK: %[[W:.*]], %[[V:.*]] = smith.eigh %[[A]] : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[A]], dims = [1, 0]
  // CHECK: smith.eigh %[[T]]
  // CHECK: %[[F:.*]], %[[P:.*]], %{{.*}} = smith.lu %[[A]] : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<3xi32>)
  // CHECK: %[[ONE:.*]] = stablehlo.add %[[P]]
  // CHECK: return %[[V]], %{{.*}}, %[[F]], %[[ONE]]
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  %1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  %2:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  return %0#0, %1#1, %2#0, %2#1 : tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3xi32>
}
