// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @contractions(%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x7xf32>, %arg2: tensor<8x4xbf16>, %arg3: tensor<4x6xbf16>, %arg4: tensor<4xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xf32>, tensor<5x3x7xf32>) -> tensor<5x2x7xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = true> : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xbf16>
    %3 = stablehlo.dot_general %arg2, %arg4, contracting_dims = [] x [] {note = 1 : i32} : (tensor<8x4xbf16>, tensor<4xbf16>) -> tensor<8x4x4xbf16>
    %4 = stablehlo.dot %arg2, %arg3 : (tensor<8x4xbf16>, tensor<4x6xbf16>) -> tensor<8x6xbf16>
    %5 = stablehlo.dot %arg4, %arg4, precision = [HIGH, DEFAULT] : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<bf16>
    return
  }
  func.func @convolutions(%arg0: tensor<2x9x9x4xf32>, %arg1: tensor<3x3x2x8xf32>, %arg2: tensor<4x5x2xf32>, %arg3: tensor<3x2x6xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f], window = {stride = [2, 1], pad = [[1, 1], [-1, 0]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x14x4x8xf32>
    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x5x2xf32>, tensor<3x2x6xf32>) -> tensor<2x3x6xf32>
    return
  }
  func.func @reductions(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.maximum across dimensions = [0, 1] {note = "kept"} : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %arg2) across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %4 = stablehlo.subtract %arg4, %arg5 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
    %3:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %4 = stablehlo.maximum %arg4, %arg6 : tensor<f32>
      %5 = stablehlo.minimum %arg5, %arg7 : tensor<i32>
      stablehlo.return %4, %5 : tensor<f32>, tensor<i32>
    }
    return
  }
  func.func @windows(%arg0: tensor<6x6xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<f32>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg2) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x6xf32>, tensor<f32>) -> tensor<3x2xf32>
    %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.compare  GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<6x6xf32>
    return
  }
  func.func @sorting(%arg0: tensor<5x7xf32>, %arg1: tensor<5x7xi32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %2 = stablehlo.compare  LT, %arg2, %arg3,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<5x7xf32>, tensor<5x7xi32>) -> (tensor<5x7xf32>, tensor<5x7xi32>)
    %1 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>):
      %2 = stablehlo.negate %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<5x7xf32>, tensor<5x7xi32>) -> tensor<5x7xf32>
    return
  }
  func.func @algebra(%arg0: tensor<3x4x4xf32>, %arg1: tensor<3x4x2xf32>, %arg2: tensor<6x16xf32>, %arg3: tensor<6x9xcomplex<f32>>) {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x4x4xf32>
    %1 = stablehlo.cholesky %arg0 : tensor<3x4x4xf32>
    %2 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    %3 = stablehlo.fft %arg2, type =  RFFT, length = [16] : (tensor<6x16xf32>) -> tensor<6x9xcomplex<f32>>
    %4 = stablehlo.fft %arg3, type =  IRFFT, length = [16] : (tensor<6x9xcomplex<f32>>) -> tensor<6x16xf32>
    %5 = stablehlo.fft %arg3, type =  FFT, length = [6, 9] : (tensor<6x9xcomplex<f32>>) -> tensor<6x9xcomplex<f32>>
    return
  }
  func.func @normalisation(%arg0: tensor<2x5x3xf32>, %arg1: tensor<5xf32>) {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x5x3xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<2x5x3xf32>, tensor<5xf32>, tensor<5xf32>)
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x5x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x5x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<5xf32>, tensor<5xf32>)
    return
  }
}

