// RUN: shardsmith-opt %s --split-micro-batches=count=2 --split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// A mean over what a mask leaves: what it leaves of the whole batch depends on
// no parameter, and is counted before the first micro-batch.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[MASK:arg[0-9]+]]: tensor<4x2xf32> {smith.name = "mask"
// CHECK:         %[[COUNT:.*]] = stablehlo.reduce(%[[MASK]] init: %{{.*}}) {{.*}} (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
// CHECK:         %[[COUNTS:.*]] = stablehlo.broadcast_in_dim %[[COUNT]], dims = [] : (tensor<f32>) -> tensor<2x2xf32>
// CHECK-NEXT:    %[[SHARES:.*]] = stablehlo.divide %{{.*}}, %[[COUNTS]] : tensor<2x2xf32>
// CHECK:         %[[TERM:.*]] = stablehlo.reduce({{.*}} (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT:    smith.accumulate %[[TERM]]
func.func @main(
    %x: tensor<4x2xf32> {smith.role = "batch", smith.name = "x"},
    %mask: tensor<4x2xf32> {smith.role = "batch", smith.name = "mask"})
    -> (tensor<2xf32> {smith.name = "g"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.reduce(%mask init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
  %counts = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
  %shares = stablehlo.divide %mask, %counts : tensor<4x2xf32>
  %0 = stablehlo.multiply %x, %shares : tensor<4x2xf32>
  %g = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}

// -----

// Nothing of the size of activations is kept for that: how often each of a
// hundred words occurs is a sum over samples like any other.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.compare EQ, {{.*}} -> tensor<2x100xi1>
// CHECK:         %[[TERM:.*]] = stablehlo.reduce({{.*}} (tensor<2x100xf32>, tensor<f32>) -> tensor<100xf32>
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[TERM]]
// CHECK-NEXT:    stablehlo.multiply %[[SUM]], %[[SUM]]
func.func @main(%words: tensor<4xi32> {smith.role = "batch", smith.name = "words", smith.limit = 100 : i64})
    -> (tensor<100xf32> {smith.name = "squares"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %all = stablehlo.iota dim = 1 : tensor<4x100xi32>
  %wide = stablehlo.broadcast_in_dim %words, dims = [0] : (tensor<4xi32>) -> tensor<4x100xi32>
  %is = stablehlo.compare EQ, %wide, %all, SIGNED : (tensor<4x100xi32>, tensor<4x100xi32>) -> tensor<4x100xi1>
  %ones = stablehlo.convert %is : (tensor<4x100xi1>) -> tensor<4x100xf32>
  %count = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x100xf32>, tensor<f32>) -> tensor<100xf32>
  %squares = stablehlo.multiply %count, %count : tensor<100xf32>
  return %squares : tensor<100xf32>
}

// -----

// A sum over one batch that samples of another one read: it is known ahead, and
// cut. It is not made smaller of the micro-batch's share of what it sums up.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x3x8xi32>
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK:         %[[APART:.*]] = stablehlo.reshape %[[SUM]] : (tensor<4x3xi32>) -> tensor<2x2x3xi32>
// CHECK:         stablehlo.dynamic_slice %[[APART]]
func.func @main(
    %x: tensor<4x3x8xi32> {smith.role = "batch", smith.batch_dim = 2 : i64},
    %y: tensor<4x3xi32> {smith.role = "batch"}) -> tensor<4x3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2]
    : (tensor<4x3x8xi32>, tensor<i32>) -> tensor<4x3xi32>
  %r = stablehlo.add %sum, %y : tensor<4x3xi32>
  return %r : tensor<4x3xi32>
}
