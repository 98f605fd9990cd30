// RUN: shardsmith-opt %s --outline-micro-batches -split-input-file \
// RUN:   | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// What depends on the number of the micro-batch goes into a function, which is
// called once per micro-batch and adds to what it is given.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<4x3xf32>)
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[ZEROS:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT:    %[[SUM:.*]] = smith.repeat @micro_batch count = 4 with(%[[X]], %[[W]]) carry(%[[ZEROS]])
// CHECK-NEXT:    %[[NEW:.*]] = stablehlo.subtract %[[W]], %[[SUM]] : tensor<3xf32>
// CHECK-NEXT:    return %[[NEW]]
// CHECK-LABEL: func.func private @micro_batch(
// CHECK-SAME:    %[[I:[a-z0-9]+]]: tensor<i32>, %[[X:[a-z0-9]+]]: tensor<4x3xf32>, %[[W:[a-z0-9]+]]: tensor<3xf32>,
// CHECK-SAME:    %[[SOFAR:[a-z0-9]+]]: tensor<3xf32> {smith.name = "sum.0", smith.role = "state"})
// CHECK-SAME:    -> (tensor<3xf32> {smith.name = "sum.0", smith.role = "state"})
// CHECK:         %[[ROW:.*]] = stablehlo.dynamic_slice %[[X]], %[[I]],
// CHECK-NEXT:    %[[FLAT:.*]] = stablehlo.reshape %[[ROW]]
// CHECK-NEXT:    %[[TERM:.*]] = stablehlo.multiply %[[FLAT]], %[[W]]
// CHECK-NEXT:    %[[NEXT:.*]] = stablehlo.add %[[SOFAR]], %[[TERM]]
// CHECK-NEXT:    return %[[NEXT]]
func.func @main(%w: tensor<3xf32>, %x: tensor<4x3xf32>) -> tensor<3xf32> {
  %i = smith.micro_batch_index of 4 : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
  %flat = stablehlo.reshape %row : (tensor<1x3xf32>) -> tensor<3xf32>
  %term = stablehlo.multiply %flat, %w : tensor<3xf32>
  %sum = smith.accumulate %term kind = sum : tensor<3xf32>
  %new = stablehlo.subtract %w, %sum : tensor<3xf32>
  return %new : tensor<3xf32>
}

// -----

// Every kind starts from its neutral element.

// CHECK-LABEL: func.func @main(
// CHECK-DAG:     stablehlo.constant dense<0> : tensor<i32>
// CHECK-DAG:     stablehlo.constant dense<1> : tensor<i32>
// CHECK-DAG:     stablehlo.constant dense<-2147483648> : tensor<i32>
// CHECK-DAG:     stablehlo.constant dense<2147483647> : tensor<i32>
// CHECK-DAG:     stablehlo.constant dense<-1> : tensor<i32>
// CHECK:         smith.repeat @micro_batch count = 3
// CHECK-LABEL: func.func private @micro_batch(
// CHECK:         stablehlo.add
// CHECK-NEXT:    stablehlo.multiply
// CHECK-NEXT:    stablehlo.maximum
// CHECK-NEXT:    stablehlo.minimum
// CHECK-NEXT:    stablehlo.and
// CHECK-NEXT:    stablehlo.or
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %i = smith.micro_batch_index of 3 : tensor<i32>
  %0 = smith.accumulate %i kind = sum : tensor<i32>
  %1 = smith.accumulate %i kind = product : tensor<i32>
  %2 = smith.accumulate %i kind = max : tensor<i32>
  %3 = smith.accumulate %i kind = min : tensor<i32>
  %4 = smith.accumulate %i kind = and : tensor<i32>
  %5 = smith.accumulate %i kind = or : tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

// A step that has no micro-batches stays as it is.

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.negate
// CHECK-NEXT:    return
// CHECK-NOT:     func.func private
func.func @main(%w: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %w : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The name of the function is free.

// CHECK:       smith.repeat @[[NAME:micro_batch.+]] count = 2
// CHECK:       func.func private @[[NAME]](
// CHECK:       func.func private @micro_batch()
module {
  func.func @main() -> tensor<i32> {
    %i = smith.micro_batch_index of 2 : tensor<i32>
    %0 = smith.accumulate %i kind = sum : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @micro_batch() {
    return
  }
}
