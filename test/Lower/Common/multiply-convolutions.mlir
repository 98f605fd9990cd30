// RUN: shardsmith-opt %s --simplify-local=target=cuda --split-input-file | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: shardsmith-opt %s --simplify-local=target=cpu --split-input-file | FileCheck %s --check-prefixes=CHECK,CPU
//
// Convolutions that are products of matrices are the library's on devices; on
// processors oneDNN has all of them.

// Of 1 × 1, with the gradients of input and kernel.
// CHECK-LABEL: func.func @point(
// CUDA-SAME: %[[X:.*]]: tensor<8x7x5x16xbf16>, %[[W:.*]]: tensor<1x1x16x32xbf16>, %[[G:.*]]: tensor<8x7x5x32xbf16>)
// CUDA: %[[M:.*]] = stablehlo.reshape %[[W]] : (tensor<1x1x16x32xbf16>) -> tensor<16x32xbf16>
// CUDA: stablehlo.dot_general %[[X]], %[[M]], contracting_dims = [3] x [0] : {{.*}} -> tensor<8x7x5x32xbf16>
// CUDA: %[[T:.*]] = stablehlo.reshape %[[W]]
// CUDA: stablehlo.dot_general %[[G]], %[[T]], contracting_dims = [3] x [1] : {{.*}} -> tensor<8x7x5x16xbf16>
// CUDA: stablehlo.dot_general %[[X]], %[[G]], contracting_dims = [0, 1, 2] x [0, 1, 2] : {{.*}} -> tensor<16x32xf32>
// CUDA: stablehlo.reshape {{.*}} -> tensor<1x1x16x32xf32>
// CUDA-NOT: stablehlo.convolution
// CPU-COUNT-3: stablehlo.convolution
func.func @point(%x: tensor<8x7x5x16xbf16>, %w: tensor<1x1x16x32xbf16>, %g: tensor<8x7x5x32xbf16>) -> (tensor<8x7x5x32xbf16>, tensor<8x7x5x16xbf16>, tensor<1x1x16x32xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x7x5x16xbf16>, tensor<1x1x16x32xbf16>) -> tensor<8x7x5x32xbf16>
  %1 = stablehlo.convolution(%g, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x7x5x32xbf16>, tensor<1x1x16x32xbf16>) -> tensor<8x7x5x16xbf16>
  %2 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x7x5x16xbf16>, tensor<8x7x5x32xbf16>) -> tensor<1x1x16x32xf32>
  return %0, %1, %2 : tensor<8x7x5x32xbf16>, tensor<8x7x5x16xbf16>, tensor<1x1x16x32xf32>
}

// -----

// The kernel comes first in the result.
// CHECK-LABEL: func.func @outputs_first(
// CUDA: %[[M:.*]] = stablehlo.reshape %arg1
// CUDA: stablehlo.dot_general %[[M]], %arg0, contracting_dims = [1] x [1] : {{.*}} -> tensor<4x8x6xf32>
// CPU: stablehlo.convolution
func.func @outputs_first(%x: tensor<8x3x6xf32>, %w: tensor<4x3x1xf32>) -> tensor<4x8x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[f, b, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x3x6xf32>, tensor<4x3x1xf32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}

// -----

// Not products: a transpose would be behind it, a stride, padding, groups, a
// reversed window that is summed, and integers.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-6: stablehlo.convolution
// CHECK-NOT: stablehlo.dot_general
func.func @others(%x: tensor<8x4x6xf32>, %w: tensor<4x4x1xf32>, %v: tensor<4x1x1xf32>, %u: tensor<4x4x6xf32>, %i: tensor<6x4xi32>, %j: tensor<4x5xi32>) -> (tensor<8x4x6xf32>, tensor<8x3x4xf32>, tensor<8x8x4xf32>, tensor<8x6x4xf32>, tensor<8x1x4xf32>, tensor<6x5xi32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x4x6xf32>, tensor<4x4x1xf32>) -> tensor<8x4x6xf32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x4x6xf32>, tensor<4x4x1xf32>) -> tensor<8x3x4xf32>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x4x6xf32>, tensor<4x4x1xf32>) -> tensor<8x8x4xf32>
  %3 = stablehlo.convolution(%x, %v) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<8x4x6xf32>, tensor<4x1x1xf32>) -> tensor<8x6x4xf32>
  %4 = stablehlo.convolution(%x, %u) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x4x6xf32>, tensor<4x4x6xf32>) -> tensor<8x1x4xf32>
  %5 = stablehlo.convolution(%i, %j) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x4xi32>, tensor<4x5xi32>) -> tensor<6x5xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<8x4x6xf32>, tensor<8x3x4xf32>, tensor<8x8x4xf32>, tensor<8x6x4xf32>, tensor<8x1x4xf32>, tensor<6x5xi32>
}
