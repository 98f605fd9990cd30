// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func.func @folded(
// CHECK-NEXT:    %[[I:.*]] = smith.micro_batch_index of 4 : tensor<i32>
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[I]] kind = sum : tensor<i32>
// CHECK-NEXT:    %[[MAX:.*]] = smith.accumulate %{{.*}} kind = max {note = "kept"} : tensor<3xf32>
// CHECK-NEXT:    return %[[SUM]], %[[MAX]]
func.func @folded(%x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %i = smith.micro_batch_index of 4 : tensor<i32>
  %sum = smith.accumulate %i kind = sum : tensor<i32>
  %max = smith.accumulate %x kind = max {note = "kept"} : tensor<3xf32>
  return %sum, %max : tensor<i32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @outlined(
// CHECK-SAME:    %[[X:.*]]: tensor<2xf32>, %[[ZERO:.*]]: tensor<f32>
// CHECK-NEXT:    %{{.*}}:2 = smith.repeat @body count = 4 with(%[[X]]) carry(%[[ZERO]], %[[X]])
// CHECK-SAME:      : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
// CHECK-NEXT:    smith.repeat @nothing count = 1 with() carry() : () -> ()
func.func @outlined(%x: tensor<2xf32>, %zero: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
  %0:2 = smith.repeat @body count = 4 with(%x) carry(%zero, %x) : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  smith.repeat @nothing count = 1 with() carry() : () -> ()
  return %0#0, %0#1 : tensor<f32>, tensor<2xf32>
}

func.func private @body(%i: tensor<i32>, %x: tensor<2xf32>, %a: tensor<f32>, %b: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) {
  return %a, %b : tensor<f32>, tensor<2xf32>
}

func.func private @nothing(%i: tensor<i32>) {
  return
}
