// RUN: shardsmith-opt %s --split-micro-batches=count=4 | FileCheck %s
// RUN: shardsmith-opt %s --split-micro-batches=count=1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// SPDX-License-Identifier: Apache-2.0

// Micro-batch i has the samples i, i + 4, …; what does not depend on the batch
// stays, and a sum over the batch is accumulated.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {{.*}}, %[[X:.*]]: tensor<8x4xf32>
// CHECK-NEXT:  %[[I:.*]] = smith.micro_batch_index of 4 : tensor<i32>
// CHECK-NEXT:  %[[PARTS:.*]] = stablehlo.reshape %[[X]] : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
// CHECK-NEXT:  %[[O:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT:  %[[PART:.*]] = stablehlo.dynamic_slice %[[PARTS]], %[[O]], %[[I]], %[[O]], sizes = [2, 1, 4]
// CHECK-NEXT:  %[[OWN:.*]] = stablehlo.reshape %[[PART]] : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
// CHECK:       %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[W]], dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  %[[PRODUCT:.*]] = stablehlo.multiply %[[WIDE]], %[[OWN]] : tensor<2x4xf32>
// CHECK-NEXT:  %[[TERM:.*]] = stablehlo.reduce(%[[PRODUCT]]
// CHECK-NEXT:  %[[SQUARES:.*]] = stablehlo.multiply %[[W]], %[[W]] : tensor<4xf32>
// CHECK-NEXT:  %[[SUM:.*]] = smith.accumulate %[[TERM]] kind = sum : tensor<f32>
// CHECK-NEXT:  return %[[SUM]], %[[SQUARES]]

// ONE-NOT: smith.micro_batch_index
// ONE:     stablehlo.multiply {{.*}} : tensor<8x4xf32>
func.func @main(
    %w: tensor<4xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<8x4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"},
        tensor<4xf32> {smith.role = "output", smith.name = "squares"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.multiply %wide, %x : tensor<8x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.multiply %w, %w : tensor<4xf32>
  return %1, %2 : tensor<f32>, tensor<4xf32>
}
