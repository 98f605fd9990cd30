// RUN: shardsmith-opt %s --split-micro-batches=count=2 -split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Samples lie along the dimension that `smith.batch_dim` names. An argument
// without samples, and a scalar, are the same for all micro-batches.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<3x4xf32> {{.*}}, %[[Y:.*]]: tensor<3x1xf32> {{.*}}, %[[Z:.*]]: tensor<f32>
// CHECK:         %[[I:.*]] = smith.micro_batch_index of 2
// CHECK:         %[[PARTS:.*]] = stablehlo.reshape %[[X]] : (tensor<3x4xf32>) -> tensor<3x2x2xf32>
// CHECK:         stablehlo.dynamic_slice %[[PARTS]], %{{.*}}, %{{.*}}, %[[I]], sizes = [3, 2, 1]
// CHECK:         %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2xf32>
// CHECK:         stablehlo.broadcast_in_dim %[[Z]], dims = [] : (tensor<f32>) -> tensor<3x2xf32>
func.func @main(
    %x: tensor<3x4xf32> {smith.role = "batch", smith.name = "x", smith.batch_dim = 1 : i64},
    %y: tensor<3x1xf32> {smith.role = "batch", smith.name = "y", smith.batch_dim = -1 : i64},
    %z: tensor<f32> {smith.role = "batch", smith.name = "z"})
    -> (tensor<f32> {smith.name = "r"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
  %2 = stablehlo.multiply %x, %0 : tensor<3x4xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<3x4xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// Positions of a sample stay together where samples and positions are merged:
// of rows 0…11 the first micro-batch has 0…2 and 6…8.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %{{.*}}: tensor<4x3xf32> {{.*}}, %[[W:.*]]: tensor<12xf32>
// CHECK:         %[[I:.*]] = smith.micro_batch_index of 2
// CHECK:         %[[ROWS:.*]] = stablehlo.reshape {{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK:         %[[PARTS:.*]] = stablehlo.reshape %[[W]] : (tensor<12xf32>) -> tensor<2x2x3xf32>
// CHECK:         %[[PART:.*]] = stablehlo.dynamic_slice %[[PARTS]], %{{.*}}, %[[I]], %{{.*}}, sizes = [2, 1, 3]
// CHECK:         %[[OWN:.*]] = stablehlo.reshape %[[PART]] : (tensor<2x1x3xf32>) -> tensor<6xf32>
// CHECK:         %[[R:.*]] = stablehlo.multiply %[[ROWS]], %[[OWN]] : tensor<6xf32>
// CHECK:         stablehlo.reshape %[[R]] : (tensor<6xf32>) -> tensor<2x1x3xf32>
// CHECK:         stablehlo.dynamic_update_slice {{.*}}, %[[I]], %{{.*}} -> tensor<2x2x3xf32>
// CHECK:         smith.accumulate {{.*}} : tensor<12xf32>
func.func @main(
    %x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
    %w: tensor<12xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<12xf32> {smith.name = "r"}) {
  %0 = stablehlo.reshape %x : (tensor<4x3xf32>) -> tensor<12xf32>
  %1 = stablehlo.multiply %0, %w : tensor<12xf32>
  return %1 : tensor<12xf32>
}

// -----

// And are apart again behind.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.reshape {{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK:         stablehlo.reshape {{.*}} : (tensor<6xf32>) -> tensor<2x3xf32>
// CHECK:         stablehlo.reduce({{.*}} dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4xf32> {smith.name = "r"}) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<4x3xf32>) -> tensor<12xf32>
  %1 = stablehlo.tanh %0 : tensor<12xf32>
  %2 = stablehlo.reshape %1 : (tensor<12xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
