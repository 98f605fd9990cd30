// RUN: shardsmith-opt %s --split-micro-batches=count=2 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// Results per sample are put among zeros and joined by adding, truth values by
// `or`.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[I:.*]] = smith.micro_batch_index of 2
// CHECK:         %[[TANH:.*]] = stablehlo.tanh {{.*}} : tensor<2x3xf32>
// CHECK:         %[[POSITIVE:.*]] = stablehlo.compare GT, {{.*}} -> tensor<2x3xi1>
// CHECK-DAG:     %[[OWN:.*]] = stablehlo.reshape %[[TANH]] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
// CHECK-DAG:     %[[ZEROS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x2x3xf32>
// CHECK:         %[[AMONG:.*]] = stablehlo.dynamic_update_slice %[[ZEROS]], %[[OWN]], %{{.*}}, %[[I]], %
// CHECK-NEXT:    %[[ALL:.*]] = stablehlo.reshape %[[AMONG]] : (tensor<2x2x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %[[R:.*]] = smith.accumulate %[[ALL]] kind = sum : tensor<4x3xf32>
// CHECK:         %[[S:.*]] = smith.accumulate {{.*}} kind = or : tensor<4x3xi1>
// CHECK-NEXT:    return %[[R]], %[[S]]
func.func @main(%x: tensor<4x3xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<4x3xf32> {smith.name = "r"}, tensor<4x3xi1> {smith.name = "s"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %0 = stablehlo.tanh %x : tensor<4x3xf32>
  %1 = stablehlo.compare GT, %x, %zero, FLOAT : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xi1>
}
