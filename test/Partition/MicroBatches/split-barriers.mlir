// RUN: shardsmith-opt %s --split-micro-batches=count=2 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0

// A barrier holds back what is done once per micro-batch apart from what is
// done once: the product at its end does not have to be in the repetition.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<i32>
// CHECK:         %[[TERM:.*]] = stablehlo.reduce(
// CHECK-NEXT:    %[[PARTS:.*]]:2 = stablehlo.optimization_barrier %{{.*}}, %[[TERM]] : tensor<2x3xi32>, tensor<i32>
// CHECK-NEXT:    %[[WHOLE:.*]] = stablehlo.optimization_barrier %[[W]] : tensor<i32>
// CHECK-NEXT:    %[[SUM:.*]] = smith.accumulate %[[PARTS]]#1
// CHECK-NEXT:    stablehlo.add %[[SUM]], %[[WHOLE]]
func.func @main(
    %w: tensor<i32> {smith.role = "param", smith.name = "w"},
    %x: tensor<4x3xi32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<i32> {smith.name = "r"}, tensor<4x3xi32> {smith.name = "s"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xi32>, tensor<i32>) -> tensor<i32>
  %1:3 = stablehlo.optimization_barrier %w, %x, %0 : tensor<i32>, tensor<4x3xi32>, tensor<i32>
  %2 = stablehlo.add %1#2, %1#0 : tensor<i32>
  return %2, %1#1 : tensor<i32>, tensor<4x3xi32>
}
