// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// A convolution is a call of the runtime with a descriptor of its own.

// CHECK: llvm.mlir.global internal constant @convolution_0
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: %[[WHAT:.+]] = llvm.mlir.addressof @convolution_0
// CHECK: %[[LHS:.+]] = llvm.getelementptr %arg1[%{{.*}}]
// CHECK: %[[RHS:.+]] = llvm.getelementptr %arg1[%{{.*}}]
// CHECK: %[[RESULT:.+]] = llvm.getelementptr %arg1[%{{.*}}]
// CHECK: llvm.call @smith_convolution_run(%arg0, %[[WHAT]], %[[LHS]], %[[RHS]], %[[RESULT]])
func.func @main(%x: tensor<2x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// -----

// Two of them have two descriptors.
// CHECK-DAG: @convolution_0
// CHECK-DAG: @convolution_1
// CHECK-LABEL: llvm.func @smith_step(
// CHECK: addressof @convolution_0
// CHECK: addressof @convolution_1
func.func @main(%x: tensor<1x4x8xi32>, %w: tensor<4x1x3xi32>) -> tensor<1x4x4xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x8xi32>, tensor<4x1x3xi32>) -> tensor<1x4x6xi32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x6xi32>, tensor<4x1x3xi32>) -> tensor<1x4x4xi32>
  return %1 : tensor<1x4x4xi32>
}
