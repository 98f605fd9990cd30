// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @unary(%arg0: tensor<3x5xf32>, %arg1: tensor<4xcomplex<f32>>, %arg2: tensor<2xi16>) {
    %0 = chlo.acos %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %1 = chlo.acosh %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %2 = chlo.asin %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %3 = chlo.asinh %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %4 = chlo.atan %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %5 = chlo.atanh %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %6 = chlo.bessel_i1e %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %7 = chlo.conj %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %8 = chlo.cosh %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %9 = chlo.digamma %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %10 = chlo.erf %arg0 {note = "kept"} : tensor<3x5xf32> -> tensor<3x5xf32>
    %11 = chlo.erf_inv %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %12 = chlo.erfc %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %13 = chlo.lgamma %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %14 = chlo.sinh %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %15 = chlo.square %arg2 : tensor<2xi16> -> tensor<2xi16>
    %16 = chlo.tan %arg0 : tensor<3x5xf32> -> tensor<3x5xf32>
    %17 = chlo.is_inf %arg0 : tensor<3x5xf32> -> tensor<3x5xi1>
    %18 = chlo.is_neg_inf %arg0 : tensor<3x5xf32> -> tensor<3x5xi1>
    %19 = chlo.is_pos_inf %arg0 : tensor<3x5xf32> -> tensor<3x5xi1>
    return
  }
  func.func @binary(%arg0: tensor<7xf64>) {
    %0 = chlo.next_after %arg0, %arg0 : tensor<7xf64>, tensor<7xf64> -> tensor<7xf64>
    %1 = chlo.polygamma %arg0, %arg0 : tensor<7xf64>, tensor<7xf64> -> tensor<7xf64>
    %2 = chlo.zeta %arg0, %arg0 : tensor<7xf64>, tensor<7xf64> -> tensor<7xf64>
    return
  }
  func.func @structured(%arg0: tensor<6x9xbf16>, %arg1: tensor<13x4xf32>, %arg2: tensor<5x4x8xf32>, %arg3: tensor<13x8xf32>, %arg4: tensor<5xi32>, %arg5: tensor<13x4x3xf32>, %arg6: tensor<13x3x8xf32>) {
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<6x9xbf16> -> (tensor<6x2xbf16>, tensor<6x2xi32>)
    %0 = "chlo.ragged_dot"(%arg1, %arg2, %arg4) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<13x4xf32>, tensor<5x4x8xf32>, tensor<5xi32>) -> tensor<13x8xf32>
    %1 = "chlo.ragged_dot"(%arg1, %arg3, %arg4) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<13x4xf32>, tensor<13x8xf32>, tensor<5xi32>) -> tensor<5x4x8xf32>
    %2 = "chlo.ragged_dot"(%arg5, %arg6, %arg4) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<13x4x3xf32>, tensor<13x3x8xf32>, tensor<5xi32>) -> tensor<13x4x8xf32>
    return
  }
}

