// RUN: shardsmith-opt %s --split-micro-batches=count=2 -split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Sums wait for ops that are linear in them and make them no larger.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[TERM:.*]] = stablehlo.reduce(
// CHECK-NEXT:    %[[SCALED:.*]] = stablehlo.multiply %[[TERM]]
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[SCALED]] kind = sum : tensor<3xf32>
// CHECK-NEXT:    %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[SUM]]
// CHECK-NEXT:    return %[[WIDE]]
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
                %w: tensor<3xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<2x3xf32> {smith.name = "r"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.multiply %0, %w : tensor<3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// Two sums that are added are one. The square is not linear. (A parameter goes
// into the sums, or they would be known ahead.)

// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.*]] = stablehlo.reduce(
// CHECK:         %[[B:.*]] = stablehlo.dot_general
// CHECK-NEXT:    %[[BOTH:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[BOTH]] kind = sum : tensor<3xf32>
// CHECK-NEXT:    %[[SQUARE:.*]] = stablehlo.multiply %[[SUM]], %[[SUM]]
// CHECK-NEXT:    return %[[SQUARE]]
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"},
                %p: tensor<f32> {smith.role = "param", smith.name = "p"},
                %y: tensor<4xf32> {smith.role = "batch", smith.name = "y"})
    -> (tensor<3xf32> {smith.name = "r"}) {
  %ps = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %px = stablehlo.multiply %x, %ps : tensor<4x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%px init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.dot_general %px, %y, contracting_dims = [0] x [0] : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<3xf32>
  %2 = stablehlo.add %0, %1 : tensor<3xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}

// -----

// What several ops read is accumulated once.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[TERM:.*]] = stablehlo.reduce(
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[TERM]] kind = sum : tensor<f32>
// CHECK-NOT:     smith.accumulate
// CHECK:         stablehlo.negate %[[SUM]]
// CHECK-NEXT:    stablehlo.multiply %[[SUM]]
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"},
                %p: tensor<f32> {smith.role = "param", smith.name = "p"})
    -> (tensor<f32> {smith.name = "r"}, tensor<f32> {smith.name = "s"}) {
  %ps = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %px = stablehlo.multiply %x, %ps : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%px init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  %2 = stablehlo.multiply %0, %two : tensor<f32>
  return %1, %2 : tensor<f32>, tensor<f32>
}

// -----

// Narrow floats are accumulated in float32.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[TERM:.*]] = stablehlo.dot_general {{.*}} -> tensor<3x2xbf16>
// CHECK-NEXT:    %[[LONG:.*]] = stablehlo.convert %[[TERM]] : (tensor<3x2xbf16>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[LONG]] kind = sum : tensor<3x2xf32>
// CHECK-NEXT:    %[[SHORT:.*]] = stablehlo.convert %[[SUM]] : (tensor<3x2xf32>) -> tensor<3x2xbf16>
// CHECK-NEXT:    return %[[SHORT]]
func.func @main(%x: tensor<4x3xbf16> {smith.role = "batch", smith.name = "x"},
                %y: tensor<4x2xbf16> {smith.role = "batch", smith.name = "y"})
    -> (tensor<3x2xbf16> {smith.name = "r"}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x3xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
  return %0 : tensor<3x2xbf16>
}

// -----

// The largest of all micro-batches, of which nothing is linear.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[PART:.*]] = stablehlo.reduce({{.*}} applies stablehlo.maximum
// CHECK-NEXT:    %[[MAX:.*]] = smith.accumulate %[[PART]] kind = max : tensor<f32>
// CHECK-NEXT:    %[[DOUBLE:.*]] = stablehlo.multiply %[[MAX]]
// CHECK-NEXT:    return %[[DOUBLE]]
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"},
                %p: tensor<f32> {smith.role = "param", smith.name = "p"})
    -> (tensor<f32> {smith.name = "r"}) {
  %ps = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %px = stablehlo.multiply %x, %ps : tensor<4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%px init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.multiply %0, %two : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The first micro-batch starts from the initial value, the others from zero.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[I:.*]] = smith.micro_batch_index of 2
// CHECK:         %[[THREE:.*]] = stablehlo.constant dense<3.000000e+00>
// CHECK:         %[[FIRST:.*]] = stablehlo.compare EQ, %[[I]],
// CHECK:         %[[INIT:.*]] = stablehlo.select %[[FIRST]], %[[THREE]],
// CHECK:         stablehlo.reduce({{.*}} init: %[[INIT]])
// CHECK-NOT:     smith.shard_index
func.func @main(%x: tensor<4xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<f32> {smith.name = "r"}) {
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %three) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
